// Two versions of a text that were made from a third one, and what becomes of them: a three-way merge by lines. No DOM.
import { type ISignal, Signal } from '@lumino/signaling';
import { diffIndices, diff3MergeRegions } from 'node-diff3';

export type Side = 'mine' | 'theirs';
/** `typed`: words of the reader's own, in the place of both. */
export type Choice = Side | 'both' | 'typed';

/** Lines on which both agree, or that only one of them changed. */
export interface Merged {
  kind: 'merged';
  /** Whose change these lines are, null where nobody changed them. */
  from: Side | null;
  lines: readonly string[];
}

export interface Conflict {
  kind: 'conflict';
  mine: readonly string[];
  base: readonly string[];
  theirs: readonly string[];
  /** The line, from 0, at which it begins in the two texts. */
  at: Readonly<Record<Side, number>>;
}

export type Part = Merged | Conflict;

/** The parts in the order of the text, and how many changes of one side were taken over. */
export interface Parts {
  parts: Part[];
  taken: number;
}

/** What diff3 makes of three texts. */
export function partsOf(mine: string, base: string, theirs: string): Parts {
  const [a, o, b] = [mine.split('\n'), base.split('\n'), theirs.split('\n')];
  const parts: Part[] = [];
  let taken = 0;
  let at = 0; // in `o`
  let replaces = false; // the lines of `o` that are missing next were replaced by the part before
  for (const region of diff3MergeRegions(a, o, b)) {
    if (region.stable && region.buffer === 'o') {
      taken += region.bufferStart > at && !replaces ? 1 : 0;
      parts.push({ kind: 'merged', from: null, lines: region.bufferContent });
      at = region.bufferStart + region.bufferLength;
      replaces = false;
    } else if (region.stable) {
      parts.push({
        kind: 'merged',
        from: region.buffer === 'a' ? 'mine' : 'theirs',
        lines: region.bufferContent
      });
      taken += 1;
      replaces = true;
    } else {
      taken += region.oStart > at && !replaces ? 1 : 0;
      if (same(region.aContent, region.bContent)) {
        parts.push({ kind: 'merged', from: null, lines: region.aContent });
      } else {
        const { aContent, oContent, bContent, aStart, bStart } = region;
        parts.push({
          ...{ kind: 'conflict', mine: aContent, base: oContent, theirs: bContent },
          at: { mine: aStart, theirs: bStart }
        });
      }
      at = region.oStart + region.oLength;
      replaces = false;
    }
  }
  return { parts, taken: taken + (at < o.length && !replaces ? 1 : 0) };
}

/** A part, and its text in the result as it stands: whole lines, each with its line feed. */
export interface Piece {
  readonly part: Part;
  /** Null for parts that are no conflict, and for a conflict that is not decided. */
  readonly choice: Choice | null;
  readonly text: string;
}

/** An undecided conflict takes one empty line in the result. */
export const PLACEHOLDER = '\n';

export class Merge {
  constructor(
    private _mine: string,
    private readonly _base: string,
    private _theirs: string
  ) {
    this._pieces = this._made();
  }

  get mine(): string {
    return this._mine;
  }
  get theirs(): string {
    return this._theirs;
  }
  get base(): string {
    return this._base;
  }
  get pieces(): readonly Piece[] {
    return this._pieces;
  }
  /** How many changes of one side were taken over. */
  get taken(): number {
    return this._taken;
  }
  /** The indices of the conflicts among the pieces. */
  get conflicts(): number[] {
    return this._pieces.flatMap((piece, index) => (piece.part.kind === 'conflict' ? [index] : []));
  }
  /** How many conflicts are not decided. */
  get left(): number {
    return this.conflicts.filter(index => this._pieces[index]?.choice === null).length;
  }
  /** The result: what would be saved. */
  get text(): string {
    return this._pieces
      .map(piece => piece.text)
      .join('')
      .replace(/\n$/, '');
  }
  /** The result with mine where nothing was typed, or null where nothing was typed at all. */
  get kept(): string | null {
    const typed = this._pieces.some(({ part, choice, text }) =>
      part.kind === 'conflict' ? choice === 'typed' : text !== joined(part.lines)
    );
    const kept = this._pieces.map(({ part, choice, text }) =>
      part.kind === 'conflict' && choice !== 'typed' ? joined(part.mine) : text
    );
    return typed ? kept.join('').replace(/\n$/, '') : null;
  }
  /** A piece has another text or choice; its index, or null where all may have. */
  get changed(): ISignal<this, number | null> {
    return this._changed;
  }

  /** Decide a conflict. */
  choose(index: number, choice: Exclude<Choice, 'typed'>): void {
    const part = this._pieces[index]?.part;
    if (part?.kind === 'conflict') {
      this._set(index, { part, choice, text: joined(linesOf(part, choice)) });
    }
  }

  /** Decide all conflicts. */
  chooseAll(side: Side): void {
    for (const index of this.conflicts) {
      this.choose(index, side);
    }
  }

  /** The reader typed: the text of a piece in the result is this one now. */
  type(index: number, text: string): void {
    const piece = this._pieces[index];
    if (!piece || piece.text === text) {
      return;
    }
    this._set(index, { part: piece.part, choice: choiceOf(piece, text), text });
  }

  /** Theirs is another text now. Decisions about the same lines stay, and so does what was typed. */
  reload(theirs: string): void {
    const before = this._pieces;
    const typed = before.filter(
      piece => piece.part.kind === 'merged' && piece.text !== joined(piece.part.lines)
    );
    this._theirs = theirs;
    this._pieces = this._made();
    if (typed.some(piece => !this._pieces.some(other => sameText(other.part, piece.part)))) {
      // its place is gone: what was typed becomes a part of mine
      this._mine = withTyped(this._mine, before);
      this._pieces = this._made();
    }
    this._pieces = this._pieces.map(piece => {
      const old = before.find(other =>
        piece.part.kind === 'conflict'
          ? sameConflict(other.part, piece.part)
          : sameText(other.part, piece.part)
      );
      return old ? { ...old, part: piece.part } : piece;
    });
    this._changed.emit(null);
  }

  private _made(): Piece[] {
    const { parts, taken } = partsOf(this._mine, this._base, this._theirs);
    this._taken = taken;
    return parts.map(part => ({
      part,
      choice: null,
      text: part.kind === 'merged' ? joined(part.lines) : PLACEHOLDER
    }));
  }

  private _set(index: number, piece: Piece): void {
    this._pieces = this._pieces.with(index, piece);
    this._changed.emit(index);
  }

  private _taken = 0;
  private _pieces: Piece[];
  private readonly _changed = new Signal<this, number | null>(this);
}

/** The lines that a choice takes. */
export function linesOf(part: Conflict, choice: Exclude<Choice, 'typed'>): readonly string[] {
  return choice === 'both' ? [...part.mine, ...part.theirs] : part[choice];
}

/** Which side each line of a piece is from, as far as its text is still that of the sides. */
export function originsOf(piece: Piece): (Side | null)[] {
  const { part, choice, text } = piece;
  if (part.kind === 'merged') {
    return text === joined(part.lines) ? part.lines.map(() => part.from) : [];
  }
  return choice === null || choice === 'typed'
    ? []
    : [
        ...(choice === 'theirs' ? [] : part.mine.map(() => 'mine' as const)),
        ...(choice === 'mine' ? [] : part.theirs.map(() => 'theirs' as const))
      ];
}

function choiceOf(piece: Piece, text: string): Choice | null {
  const { part, choice } = piece;
  if (part.kind === 'merged') {
    return null;
  }
  const known = (['mine', 'theirs', 'both'] as const).find(
    side => choice !== null && text === joined(linesOf(part, side))
  );
  return known ?? (choice === null && !text.trim() ? null : 'typed');
}

/** Mine with what was typed into other parts of the result. */
function withTyped(mine: string, pieces: readonly Piece[]): string {
  const shown = pieces.filter(piece => piece.part.kind === 'merged');
  const before = shown.flatMap(piece => (piece.part as Merged).lines);
  const after = shown.flatMap(piece => piece.text.replace(/\n$/, '').split('\n'));
  return diff3MergeRegions(mine.split('\n'), [...before], after)
    .flatMap(region => (region.stable ? region.bufferContent : region.bContent))
    .join('\n');
}

function joined(lines: readonly string[]): string {
  return lines.map(line => line + '\n').join('');
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

function sameText(a: Part, b: Part): boolean {
  return a.kind === 'merged' && b.kind === 'merged' && same(a.lines, b.lines);
}

function sameConflict(a: Part, b: Part): boolean {
  return (
    a.kind === 'conflict' &&
    b.kind === 'conflict' &&
    same(a.mine, b.mine) &&
    same(a.base, b.base) &&
    same(a.theirs, b.theirs)
  );
}

// ── marks ────────────────────────────────────────────────────────────────────────────────────────

const WORDS = /[\p{L}\p{N}]+(?:[.,’'][\p{L}\p{N}]+)*|\s+|./gsu;
/** The least share of two lines that must be the same for single words to be marked. */
const ALIKE = 0.4;

/** Half-open ranges of the words that two lines do not share; none where they have little in common. */
export function changedWords(
  mine: string,
  theirs: string
): { mine: [number, number][]; theirs: [number, number][] } {
  const [a, b] = [mine.match(WORDS) ?? [], theirs.match(WORDS) ?? []];
  const result = { mine: [] as [number, number][], theirs: [] as [number, number][] };
  const changes = diffIndices([...a], [...b]);
  const length = (words: readonly string[]): number => words.join('').length;
  const other = changes.reduce((sum, change) => sum + length(change.buffer1Content), 0);
  if (!mine.length || (mine.length - other) / Math.max(mine.length, theirs.length) < ALIKE) {
    return result;
  }
  const range = (words: readonly string[], [start, count]: readonly [number, number]): [number, number] => {
    const from = length(words.slice(0, start));
    return [from, from + length(words.slice(start, start + count))];
  };
  for (const change of changes) {
    if (change.buffer1[1]) {
      result.mine.push(range(a, change.buffer1));
    }
    if (change.buffer2[1]) {
      result.theirs.push(range(b, change.buffer2));
    }
  }
  return result;
}

/** What is to be tinted in the two columns, by lines from 0: those that a side changed, and words in them. */
export interface Tints {
  lines: Set<number>;
  words: Map<number, [number, number][]>;
}

export function tintsOf(mine: string, base: string, theirs: string): Record<Side, Tints> {
  const tints: Record<Side, Tints> = {
    mine: { lines: changedLines(base, mine), words: new Map() },
    theirs: { lines: changedLines(base, theirs), words: new Map() }
  };
  const [a, b] = [mine.split('\n'), theirs.split('\n')];
  for (const { buffer1, buffer2 } of diffIndices(a, b)) {
    for (let step = 0; step < Math.min(buffer1[1], buffer2[1]); step += 1) {
      const [left, right] = [buffer1[0] + step, buffer2[0] + step];
      const words = changedWords(a[left] ?? '', b[right] ?? '');
      tints.mine.words.set(left, words.mine);
      tints.theirs.words.set(right, words.theirs);
    }
  }
  return tints;
}

function changedLines(from: string, to: string): Set<number> {
  return new Set(
    diffIndices(from.split('\n'), to.split('\n')).flatMap(({ buffer2: [start, count] }) =>
      Array.from({ length: count }, (_, step) => start + step)
    )
  );
}
