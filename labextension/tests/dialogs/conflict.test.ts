import { describe, expect, it } from 'vitest';

import { differences } from '../../src/dialogs/conflict';

describe('what changed in a section', () => {
  it('is told in lines that are gone and new, whatever ends them', () => {
    expect(differences('# A\r\none\r\ntwo\r\n', '# A\none\nthree\n')).toEqual([
      { sign: '−', text: 'two' },
      { sign: '+', text: 'three' }
    ]);
  });

  it('is nothing where nothing changed', () => {
    expect(differences('# A\none', '# A\none')).toEqual([]);
  });
});
