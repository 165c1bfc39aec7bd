// Text from notes on the screen: matched words marked, languages told, times and amounts in words.
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReactNode } from 'react';

/** Text with `marks` (half-open ranges in code points, as the server counts) as `<mark>`. */
export function Marked({
  text,
  marks
}: {
  text: string;
  marks: readonly (readonly number[])[];
}): JSX.Element {
  const points = Array.from(text);
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [start = 0, end = 0] of marks) {
    if (start < at || end > points.length) {
      continue;
    }
    parts.push(points.slice(at, start).join(''));
    parts.push(<mark key={start}>{points.slice(start, end).join('')}</mark>);
    at = end;
  }
  parts.push(points.slice(at).join(''));
  return <span lang={languageOf(text)}>{parts}</span>;
}

/** The language whose glyphs Han characters should take, or undefined where there are none. */
export function languageOf(text: string): string | undefined {
  if (/[\u3040-\u30ff]/.test(text)) {
    return 'ja';
  }
  if (/[\uac00-\ud7af]/.test(text)) {
    return 'ko';
  }
  return /[\u4e00-\u9fff]/.test(text) ? 'zh' : undefined;
}

/** Words, and each Han, Kana or Hangul character, which languages without spaces count as one. */
export function countWords(text: string): number {
  const wide = text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0;
  return (
    wide +
    (text.replace(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g, ' ').match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu)
      ?.length ?? 0)
  );
}

/** 1310 as "1,310" in the reader's way of writing. */
export function amount(value: number): string {
  return value.toLocaleString();
}

/** The time of day of a moment in milliseconds, as "10:41". */
export function clock(moment: number): string {
  return new Date(moment).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hour12: false
  });
}

/** A duration in seconds as "about 3 min left". */
export function timeLeft(seconds: number, trans: TranslationBundle): string {
  if (seconds < 60) {
    return trans.__('less than 1 min left');
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 90
    ? trans.__('about %1 min left', minutes)
    : trans.__('about %1 h left', Math.round(minutes / 60));
}

/** A moment in seconds since 1970 as "3 days ago". */
export function ago(seconds: number, now = Date.now() / 1000): string {
  const units: [Intl.RelativeTimeFormatUnit, number][] = [
    ['year', 31557600],
    ['month', 2629800],
    ['day', 86400],
    ['hour', 3600],
    ['minute', 60]
  ];
  const past = Math.max(0, now - seconds);
  const format = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
  for (const [unit, length] of units) {
    if (past >= length) {
      return format.format(-Math.floor(past / length), unit);
    }
  }
  return format.format(0, 'minute');
}

/** The folder of a note's path, '' at the top. */
export function folderOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf('/')));
}

/** `A > B` as it is shown, "A › B". */
export function breadcrumb(headingPath: string): string {
  return headingPath.replace(/ > /g, ' › ');
}
