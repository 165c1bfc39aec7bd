// Draws the graph with WebGL, and turns what the pointer does into what the model does.
import { UndirectedGraph } from 'graphology';
import Sigma from 'sigma';

import { foundNotes } from '../../model/found';
import type { GraphModel } from '../../model/graph';
import type { Node } from '../../model/graphData';
import { type Colours, coloursOf, groupOf, groupsOf } from './colours';
import { DASHED, Overlay } from './labels';

/** Lines above which they are not drawn while the picture moves. */
const MANY_LINES = 8000;
const DIMMED = '0.45';
const ZOOM = 1.5;
const MILLISECONDS = 200;

export interface CanvasEvents {
  centre: (file: string) => void;
  menu: (file: string, x: number, y: number) => void;
}

/** Whether the browser can draw with WebGL. */
export function canDraw(): boolean {
  const canvas = document.createElement('canvas');
  return Boolean(canvas.getContext('webgl2') ?? canvas.getContext('webgl'));
}

export class GraphCanvas {
  constructor(
    private readonly _host: HTMLElement,
    private readonly _model: GraphModel,
    events: CanvasEvents
  ) {
    this._colours = coloursOf(_host);
    this._sigma = new Sigma(new UndirectedGraph(), _host, {
      allowInvalidContainer: true,
      renderLabels: false,
      defaultDrawNodeHover: () => undefined,
      stagePadding: 48,
      minCameraRatio: 0.02,
      maxCameraRatio: 3,
      doubleClickZoomingRatio: 1,
      zoomDuration: reduced() ? 0 : MILLISECONDS,
      zoomToSizeRatioFunction: ratio => Math.max(0.4, Math.sqrt(ratio)),
      minEdgeThickness: 0.7
    });
    this._overlay = new Overlay(this._sigma, _model, () => foundNotes.files);
    for (const canvas of _host.querySelectorAll('canvas')) {
      canvas.setAttribute('aria-hidden', 'true');
    }
    this._sigma.on('afterRender', () => this._overlay.draw(this._colours));
    this._sigma.on('enterNode', ({ node }) => _model.hover(node));
    this._sigma.on('leaveNode', () => _model.hover(null));
    this._sigma.on('clickNode', ({ node }) => _model.select(node));
    this._sigma.on('clickStage', () => _model.select(null));
    this._sigma.on('doubleClickNode', ({ node, preventSigmaDefault }) => {
      preventSigmaDefault();
      events.centre(node);
    });
    this._sigma.on('rightClickNode', ({ node, event }) => {
      event.original.preventDefault();
      _model.select(node);
      const { clientX = 0, clientY = 0 } = event.original as MouseEvent;
      events.menu(node, clientX, clientY);
    });
    _model.changed.connect(this._update, this);
    foundNotes.changed.connect(this._draw, this);
    this._update();
  }

  /** The theme may be another. */
  recolour(): void {
    this._colours = coloursOf(this._host);
    this._revision = -1;
    this._update();
  }

  zoom(closer: boolean): void {
    const camera = this._sigma.getCamera();
    const duration = reduced() ? 0 : MILLISECONDS;
    void (closer
      ? camera.animatedZoom({ duration, factor: ZOOM })
      : camera.animatedUnzoom({ duration, factor: ZOOM }));
  }

  fit(): void {
    void this._sigma.getCamera().animatedReset({ duration: reduced() ? 0 : MILLISECONDS });
  }

  /** Move the picture so that a note is in view, if it is not. */
  reveal(file: string): void {
    const data = this._sigma.getNodeDisplayData(file);
    if (!data) {
      return;
    }
    const { x, y } = this._sigma.framedGraphToViewport(data);
    const { width, height } = this._sigma.getDimensions();
    if (x < 24 || y < 24 || x > width - 24 || y > height - 24) {
      void this._sigma
        .getCamera()
        .animate({ x: data.x, y: data.y }, { duration: reduced() ? 0 : MILLISECONDS });
    }
  }

  /** Where a note is, in the window. */
  placeOf(file: string): { x: number; y: number } | null {
    const data = this._sigma.getNodeDisplayData(file);
    if (!data) {
      return null;
    }
    const box = this._host.getBoundingClientRect();
    const { x, y } = this._sigma.framedGraphToViewport(data);
    return { x: box.left + x, y: box.top + y };
  }

  resize(): void {
    this._sigma.refresh();
  }

  dispose(): void {
    this._model.changed.disconnect(this._update, this);
    foundNotes.changed.disconnect(this._draw, this);
    this._sigma.kill();
  }

  private _update(): void {
    const model = this._model;
    if (model.revision !== this._revision) {
      this._revision = model.revision;
      this._replace();
    }
    if (model.scene !== this._scene) {
      this._scene = model.scene;
      this._sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
    }
    const opacity = model.lit !== null ? DIMMED : '1';
    const { edges, nodes } = this._sigma.getCanvases();
    if (edges && nodes && edges.style.opacity !== opacity) {
      edges.style.opacity = nodes.style.opacity = opacity;
    }
    this._draw();
  }

  private _draw(): void {
    this._overlay.draw(this._colours);
  }

  /** Give sigma the picture as it is now. */
  private _replace(): void {
    const model = this._model;
    const { nodes, lines } = model.picture;
    const graph = new UndirectedGraph();
    const groups = new Map(groupsOf(nodes.values(), model.colouring).map((group, index) => [group, index]));
    const many = nodes.size > 400;
    // a small picture takes the width that there is
    const { clientWidth, clientHeight } = this._host;
    const wide = many || !clientHeight ? 1 : Math.min(Math.max(clientWidth / clientHeight, 1), 1.6);
    const plain = model.counts.missing > DASHED;
    const order = [...nodes.values()].sort((a, b) => b.degree - a.degree);
    // the last is drawn on top
    for (const node of order.toReversed()) {
      const place = model.places.get(node.file) ?? { x: 0, y: 0 };
      const group = groups.get(groupOf(node, model.colouring) ?? '');
      graph.addNode(node.file, {
        x: place.x * wide,
        y: place.y,
        size: sizeOf(node, many, node.file === model.centre.file),
        color: this._colourOf(node, group, plain),
        hidden: !model.passes(node)
      });
    }
    const size = many ? 0.7 : 1;
    for (const { one, other } of lines) {
      if (graph.hasNode(one) && graph.hasNode(other)) {
        graph.addEdge(one, other, { size, color: this._colours.line });
      }
    }
    this._overlay.use(order.map(node => node.file));
    this._sigma.setSetting('hideEdgesOnMove', lines.length > MANY_LINES);
    this._sigma.setGraph(graph);
  }

  private _colourOf(node: Node, group: number | undefined, plain: boolean): string {
    const { accent, missing, surface, groups } = this._colours;
    if (node.file === this._model.centre.file) {
      return accent;
    }
    if (node.missing) {
      return plain ? missing : surface;
    }
    return (group === undefined ? undefined : groups[group]) ?? this._colours.node;
  }

  private _colours: Colours;
  private _revision = -1;
  private _scene = -1;
  private readonly _sigma: Sigma;
  private readonly _overlay: Overlay;
}

function sizeOf(node: Node, many: boolean, centre: boolean): number {
  const links = Math.sqrt(node.degree);
  if (many) {
    return Math.min(1.6 + links * 0.45, 10);
  }
  return centre ? 9 : Math.min(2.6 + links * 0.9, 8);
}

function reduced(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
