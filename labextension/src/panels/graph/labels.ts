// What stands above the graph's nodes and lines: names where they do not overlap, what is lit, dashes and dots.
import type Sigma from 'sigma';

import type { GraphModel } from '../../model/graph';
import type { Colours } from './colours';

/** Names that are drawn at most. */
const NAMES = 160;
/** Missing notes that are drawn dashed at most; more are plain circles. */
export const DASHED = 300;
/** Nodes in view above which names keep their distance, in pixels. */
const CROWD = 400;
const AROUND = 16;
const SIZE = 12;
const LINE = 16;

interface Spot {
  file: string;
  x: number;
  y: number;
  radius: number;
}

type Box = readonly [number, number, number, number];

export class Overlay {
  constructor(
    private readonly _sigma: Sigma,
    private readonly _model: GraphModel,
    private readonly _found: () => ReadonlySet<string>
  ) {}

  /** Another picture: names in the order of their links, the centre first. */
  use(files: readonly string[]): void {
    this._files = files;
  }

  draw(colours: Colours): void {
    const canvas = this._sigma.getCanvases()['labels'];
    const context = canvas?.getContext('2d');
    if (!canvas || !context) {
      return;
    }
    const { width, height } = this._sigma.getDimensions();
    context.clearRect(0, 0, width, height);
    const spots = this._spots(width, height);
    const model = this._model;
    const lit = model.lit !== null && spots.has(model.lit) ? model.lit : null;
    const near = lit === null ? null : model.neighbours(lit);
    const bright = (file: string): boolean => near === null || file === lit || near.has(file);

    this._similar(context, spots, colours, lit);
    if (lit !== null && near) {
      this._lines(context, spots, colours, lit, near);
    }
    this._nodes(context, spots, colours, lit, bright);
    this._names(context, spots, colours, lit, bright);
  }

  /** Where nodes are on the screen, those outside left out. */
  private _spots(width: number, height: number): Map<string, Spot> {
    const spots = new Map<string, Spot>();
    for (const file of this._files) {
      const data = this._sigma.getNodeDisplayData(file);
      if (!data || data.hidden) {
        continue;
      }
      const { x, y } = this._sigma.framedGraphToViewport(data);
      if (x > -200 && x < width + 200 && y > -40 && y < height + 40) {
        spots.set(file, { file, x, y, radius: this._sigma.scaleSize(data.size) });
      }
    }
    return spots;
  }

  private _similar(
    context: CanvasRenderingContext2D,
    spots: Map<string, Spot>,
    colours: Colours,
    lit: string | null
  ): void {
    context.save();
    context.setLineDash([2, 4]);
    context.lineWidth = 1;
    for (const { one, other } of this._model.picture.similar) {
      const [from, to] = [spots.get(one), spots.get(other)];
      if (from && to) {
        const touched = lit === null || lit === one || lit === other;
        context.strokeStyle = touched ? colours.node : colours.line;
        join(context, from, to);
      }
    }
    context.restore();
  }

  private _lines(
    context: CanvasRenderingContext2D,
    spots: Map<string, Spot>,
    colours: Colours,
    lit: string,
    near: ReadonlySet<string>
  ): void {
    const from = spots.get(lit);
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    for (const file of near) {
      const to = spots.get(file) ?? this._far(file);
      if (from && to) {
        join(context, from, to);
      }
    }
  }

  /** A node that is not on the screen: a line to it still is. */
  private _far(file: string): Spot | null {
    const data = this._sigma.getNodeDisplayData(file);
    return data && !data.hidden
      ? { file, ...this._sigma.framedGraphToViewport(data), radius: this._sigma.scaleSize(data.size) }
      : null;
  }

  private _nodes(
    context: CanvasRenderingContext2D,
    spots: Map<string, Spot>,
    colours: Colours,
    lit: string | null,
    bright: (file: string) => boolean
  ): void {
    const { nodes } = this._model.picture;
    const found = this._found();
    for (const spot of spots.values()) {
      const node = nodes.get(spot.file);
      if (!node) {
        continue;
      }
      if (found.has(spot.file)) {
        ring(context, spot, spot.radius + 3, colours.found, 4);
      }
      if (node.missing && this._dashed) {
        context.save();
        context.globalAlpha = bright(spot.file) ? 1 : 0.45;
        context.setLineDash([3, 2]);
        context.beginPath();
        context.arc(spot.x, spot.y, spot.radius + 1, 0, 2 * Math.PI);
        context.fillStyle = colours.surface;
        context.fill();
        context.strokeStyle = colours.missing;
        context.lineWidth = 1.5;
        context.stroke();
        context.restore();
      } else if (lit !== null && bright(spot.file)) {
        context.beginPath();
        context.arc(spot.x, spot.y, spot.radius, 0, 2 * Math.PI);
        context.fillStyle = (this._sigma.getNodeDisplayData(spot.file)?.color ?? colours.node) as string;
        context.fill();
      }
      if (spot.file === lit) {
        ring(context, spot, spot.radius + 1, colours.accent, 3);
      }
    }
  }

  private _names(
    context: CanvasRenderingContext2D,
    spots: Map<string, Spot>,
    colours: Colours,
    lit: string | null,
    bright: (file: string) => boolean
  ): void {
    const { nodes } = this._model.picture;
    const centre = this._model.centre.file;
    const found = this._found();
    const { width } = this._sigma.getDimensions();
    const first = [lit, centre].filter(file => file !== null && spots.has(file)) as string[];
    const likely = lit === null ? [] : [...this._model.neighbours(lit)].filter(file => spots.has(file));
    const taken = new Taken();
    const nodesTaken = new Taken();
    if (spots.size <= NAMES) {
      spots.forEach(({ x, y, radius: r }) => nodesTaken.add([x - r, y - r, x + r, y + r]));
    }
    let drawn = 0;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    for (const file of new Set([
      ...first,
      ...likely,
      ...[...found].filter(one => spots.has(one)),
      ...spots.keys()
    ])) {
      const spot = spots.get(file);
      const node = nodes.get(file);
      if (!spot || !node || drawn >= NAMES) {
        continue;
      }
      const strong = file === centre || file === lit || found.has(file);
      context.font = `${file === centre ? 700 : strong ? 600 : 400} ${SIZE}px ${colours.font}`;
      const text = short(node.title);
      const half = this._width(context, text, strong) / 2 + 3;
      const places = boxesAround(spot, half).map(box => inside(box, spot, width));
      const free = places.filter(box => taken.fits(wider(box, spots.size > CROWD ? AROUND : 0)));
      const box = free.find(one => nodesTaken.fits(one)) ?? free[0] ?? (file === lit ? places[0] : undefined);
      if (!box) {
        continue;
      }
      taken.add(box);
      const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
      drawn += 1;
      context.strokeStyle = colours.surface;
      context.lineWidth = 3;
      context.strokeText(text, x, y);
      context.fillStyle = node.missing
        ? colours.missing
        : strong
          ? colours.strong
          : bright(file)
            ? colours.text
            : colours.dim;
      context.fillText(text, x, y);
    }
  }

  private _width(context: CanvasRenderingContext2D, text: string, strong: boolean): number {
    const key = `${strong ? 1 : 0}${text}`;
    let width = this._widths.get(key);
    if (width === undefined) {
      width = context.measureText(text).width;
      this._widths.set(key, width);
    }
    return width;
  }

  private get _dashed(): boolean {
    return this._model.counts.missing <= DASHED;
  }

  private _files: readonly string[] = [];
  private readonly _widths = new Map<string, number>();
}

/** Which parts of the screen hold a name, in cells so that many are compared with few. */
class Taken {
  fits(box: Box): boolean {
    return this._cells(box).every(cell => (this._boxes.get(cell) ?? []).every(other => apart(box, other)));
  }

  add(box: Box): void {
    for (const cell of this._cells(box)) {
      this._boxes.set(cell, [...(this._boxes.get(cell) ?? []), box]);
    }
  }

  private _cells([left, top, right, bottom]: Box): string[] {
    const cells: string[] = [];
    for (let x = Math.floor(left / 96); x <= Math.floor(right / 96); x += 1) {
      for (let y = Math.floor(top / 32); y <= Math.floor(bottom / 32); y += 1) {
        cells.push(`${x} ${y}`);
      }
    }
    return cells;
  }

  private readonly _boxes = new Map<string, Box[]>();
}

/** Where a name may stand: below its node, above, at its right, at its left. */
function boxesAround({ x, y, radius }: Spot, half: number): Box[] {
  const [down, beside] = [radius + 4, radius + 2];
  return [
    [x - half, y + down, x + half, y + down + LINE],
    [x - half, y - down - LINE, x + half, y - down],
    [x + beside, y - LINE / 2, x + beside + 2 * half, y + LINE / 2],
    [x - beside - 2 * half, y - LINE / 2, x - beside, y + LINE / 2]
  ];
}

/** A name moved so far that it is not cut at the edge, if its node is in view. */
function inside([left, top, right, bottom]: Box, { x }: Spot, width: number): Box {
  const by = x < 0 || x > width ? 0 : Math.max(0, 4 - left) - Math.max(0, right - width + 4);
  return [left + by, top, right + by, bottom];
}

function wider([left, top, right, bottom]: Box, by: number): Box {
  return [left - 2 * by, top - by, right + 2 * by, bottom + by];
}

function apart(a: Box, b: Box): boolean {
  return a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
}

function short(title: string): string {
  const points = Array.from(title);
  return points.length > 40 ? `${points.slice(0, 38).join('')}…` : title;
}

/** A line from the rim of one node to that of another. */
function join(context: CanvasRenderingContext2D, from: Spot, to: Spot): void {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(x, y);
  if (length <= from.radius + to.radius) {
    return;
  }
  context.beginPath();
  context.moveTo(from.x + (x / length) * from.radius, from.y + (y / length) * from.radius);
  context.lineTo(to.x - (x / length) * to.radius, to.y - (y / length) * to.radius);
  context.stroke();
}

function ring(
  context: CanvasRenderingContext2D,
  spot: Spot,
  radius: number,
  colour: string,
  width: number
): void {
  context.beginPath();
  context.arc(spot.x, spot.y, radius, 0, 2 * Math.PI);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}
