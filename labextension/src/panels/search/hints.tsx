// What to press, at the foot of the panel: while it has the focus, and only what works where the focus is.
import { KeyHint } from '../../ui/controls';
import { useSearch } from './context';

export type Zone = 'field' | 'idle' | 'results' | 'other';

export function Hints({ zone }: { zone: Zone }): JSX.Element {
  const { kb, model, narrow } = useSearch();
  const { trans } = kb;
  const hint = (keys: string[], text: string): JSX.Element => (
    <KeyHint keys={keys} key={text}>
      {text}
    </KeyHint>
  );
  const escape = trans._p('key', 'Esc');
  const enter = trans._p('key', 'Enter');
  const none = model.found !== null && !model.found.hits.length;
  let hints: JSX.Element[];
  if (zone === 'results' && !none) {
    hints = [
      hint(['↑', '↓'], trans.__('move')),
      hint([trans._p('key', 'Space')], trans.__('peek')),
      hint([enter], trans.__('open'))
    ];
  } else if (none) {
    hints = [hint([trans._p('key', 'Tab')], trans.__('to suggestions')), hint([escape], trans.__('clear'))];
  } else if (model.query) {
    hints = [
      hint(['↓'], trans.__('results')),
      hint([enter], trans.__('search')),
      hint([escape], trans.__('clear'))
    ];
  } else if (zone === 'idle') {
    hints = [hint(['↑', '↓'], trans.__('move')), hint([enter], trans.__('search'))];
  } else {
    hints = [
      hint(['↓'], model.recent.list.length ? trans.__('recent') : trans.__('folders')),
      hint([enter], trans.__('search')),
      hint([escape], trans.__('back to editor'))
    ];
  }
  return <div className="jp-kb-panel-foot">{narrow ? hints.slice(0, 2) : hints}</div>;
}
