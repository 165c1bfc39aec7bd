// Where the notes of a graph stand: the same picture for the same notes, computed within a given time. No DOM.
import iterate from 'graphology-layout-forceatlas2/iterate.js';

/** Values a node and an edge take in the matrices of ForceAtlas2. */
const PER_NODE = 10;
const PER_LINE = 3;
const [X, Y, MASS, CONVERGENCE, SIZE, FIXED] = [0, 1, 6, 7, 8, 9];
/** Milliseconds of a layout at most. */
export const LONGEST = 1500;

export interface Order {
  /** Two values a node: x, y. */
  places: Float32Array;
  /** Two values a line: the numbers of its nodes. */
  lines: Uint32Array;
  /** The number of the node that stays in the middle, or -1. */
  centre: number;
}

/** Where nodes begin: on a disc, by group and name, so that the same notes always begin alike. */
export function seeded(files: readonly string[], groups: readonly string[]): Float32Array {
  const order = files
    .map((file, index) => ({ index, group: groups[index] ?? '', file }))
    .sort((a, b) => compare(a.group, b.group) || compare(a.file, b.file));
  const places = new Float32Array(files.length * 2);
  const turn = Math.PI * (3 - Math.sqrt(5)); // neighbours on the list are apart on the disc, groups are rings
  order.forEach(({ index }, rank) => {
    const far = 10 * Math.sqrt(rank + 0.5);
    places[index * 2] = far * Math.cos(rank * turn);
    places[index * 2 + 1] = far * Math.sin(rank * turn);
  });
  return places;
}

/** Let linked nodes come together and all others part. Gives two values a node. */
export function laidOut(order: Order, now: () => number = () => performance.now()): Float32Array {
  const { places, lines, centre } = order;
  const count = places.length / 2;
  const nodes = new Float32Array(count * PER_NODE);
  for (let index = 0; index < count; index += 1) {
    const at = index * PER_NODE;
    nodes[at + X] = places[index * 2] as number;
    nodes[at + Y] = places[index * 2 + 1] as number;
    nodes[at + MASS] = nodes[at + CONVERGENCE] = nodes[at + SIZE] = 1;
  }
  if (centre >= 0) {
    nodes[centre * PER_NODE + X] = nodes[centre * PER_NODE + Y] = 0;
    nodes[centre * PER_NODE + FIXED] = 1;
  }
  const edges = new Float32Array((lines.length / 2) * PER_LINE);
  for (let index = 0; index < lines.length / 2; index += 1) {
    const [one, other] = [lines[index * 2] as number, lines[index * 2 + 1] as number];
    edges.set([one * PER_NODE, other * PER_NODE, 1], index * PER_LINE);
    nodes[one * PER_NODE + MASS] = (nodes[one * PER_NODE + MASS] as number) + 1;
    nodes[other * PER_NODE + MASS] = (nodes[other * PER_NODE + MASS] as number) + 1;
  }
  const settings = {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: count > 500 ? 10 : 40,
    strongGravityMode: true,
    gravity: count > 500 ? 0.05 : 0.12,
    slowDown: 1 + Math.log(Math.max(count, 1)),
    barnesHutOptimize: count > 1000,
    barnesHutTheta: count > 1000 ? 1.2 : 0.5
  };
  const until = now() + LONGEST * 0.9; // the last round may take longer than the others
  const rounds = count > 1000 ? 200 : 600;
  for (let round = 0; round < rounds && now() < until; round += 1) {
    iterate(settings, nodes, edges);
  }
  const result = new Float32Array(count * 2);
  for (let index = 0; index < count; index += 1) {
    result[index * 2] = nodes[index * PER_NODE + X] as number;
    result[index * 2 + 1] = nodes[index * PER_NODE + Y] as number;
  }
  return result;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
