// Where each note of a picture stands: laid out anew, or kept where it was. No DOM.
import type { Line, Picture } from './graphData';
import { type Order, seeded } from './graphLayout';

export interface Point {
  x: number;
  y: number;
}
/** Computes places, elsewhere where that takes long. */
export type Layout = (order: Order) => Promise<Float32Array>;

/** Units of the layout between a note that is new and the one beside which it is put. */
const BESIDE = 12;

export async function placed(
  picture: Picture,
  centre: string | null,
  layout: Layout
): Promise<Map<string, Point>> {
  const files = [...picture.nodes.keys()];
  const numbers = new Map(files.map((file, index) => [file, index]));
  const pairs = [...picture.lines, ...picture.similar].flatMap(({ one, other }) => {
    const [from, to] = [numbers.get(one), numbers.get(other)];
    return from === undefined || to === undefined ? [] : [from, to];
  });
  const found = await layout({
    places: seedsOf(picture),
    lines: Uint32Array.from(pairs),
    centre: centre === null ? -1 : (numbers.get(centre) ?? -1)
  });
  return pointsOf(files, found);
}

/** Places to begin with, before anything is laid out. */
export function begun(picture: Picture): Map<string, Point> {
  return pointsOf([...picture.nodes.keys()], seedsOf(picture));
}

function seedsOf(picture: Picture): Float32Array {
  const groups = [...picture.nodes.values()].map(node => `${node.distance ?? 9} ${node.folder}`);
  return seeded([...picture.nodes.keys()], groups);
}

function pointsOf(files: readonly string[], values: Float32Array): Map<string, Point> {
  return new Map(
    files.map((file, index) => [file, { x: values[index * 2] as number, y: values[index * 2 + 1] as number }])
  );
}

/** Places as they are; a note that is new stands beside one that it is linked with. */
export function kept(picture: Picture, before: ReadonlyMap<string, Point>): Map<string, Point> {
  const near = nearOf([...picture.lines, ...picture.similar]);
  const places = new Map<string, Point>();
  let added = 0;
  for (const file of picture.nodes.keys()) {
    const known = before.get(file);
    if (known) {
      places.set(file, known);
      continue;
    }
    const friend = [...(near.get(file) ?? [])].find(other => before.has(other));
    const { x, y } = (friend !== undefined && before.get(friend)) || { x: 0, y: 0 };
    added += 1; // turned a little each time, so that several beside one do not meet
    places.set(file, { x: x + BESIDE * Math.cos(added * 2.4), y: y + BESIDE * Math.sin(added * 2.4) });
  }
  return places;
}

/** Who is linked with whom. */
export function nearOf(lines: readonly Line[]): Map<string, Set<string>> {
  const near = new Map<string, Set<string>>();
  for (const { one, other } of lines) {
    near.set(one, (near.get(one) ?? new Set()).add(other));
    near.set(other, (near.get(other) ?? new Set()).add(one));
  }
  return near;
}
