// The colours of the graph: the theme's, as the canvas and WebGL need them, and one for each folder or tag.
import type { Colouring } from '../../model/graph';
import type { Node } from '../../model/graphData';

export interface Colours {
  surface: string;
  text: string;
  strong: string;
  dim: string;
  node: string;
  line: string;
  accent: string;
  missing: string;
  found: string;
  groups: string[];
  font: string;
}

/** What tells groups apart; red is kept for missing notes. */
const GROUPS = [
  '--jp-brand-color1',
  '--jp-success-color1',
  '--jp-warn-color1',
  '--jp-mirror-editor-keyword-color',
  '--jp-mirror-editor-operator-color',
  '--jp-info-color1',
  '--jp-mirror-editor-def-color',
  '--jp-mirror-editor-comment-color'
];

/** The theme's colours below an element, mixed with the surface so that all are opaque. */
export function coloursOf(host: Element): Colours {
  const probe = document.createElement('span');
  host.appendChild(probe);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const read = (value: string, on?: string): string => {
    probe.style.color = '';
    probe.style.color = value;
    const colour = getComputedStyle(probe).color;
    if (!context) {
      return colour;
    }
    for (const fill of on === undefined ? [colour] : [on, colour]) {
      context.fillStyle = fill;
      context.fillRect(0, 0, 1, 1);
    }
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map(part => part.toString(16).padStart(2, '0')).join('')}`;
  };
  const surface = read('var(--jp-layout-color1)');
  const mixed = (name: string, percent: number): string =>
    read(`color-mix(in srgb, var(${name}) ${percent}%, transparent)`, surface);
  const colours: Colours = {
    surface,
    text: read('var(--jp-ui-font-color1)', surface),
    strong: read('var(--jp-ui-font-color0)', surface),
    dim: mixed('--jp-ui-font-color0', 66),
    node: mixed('--jp-ui-font-color0', 62),
    line: mixed('--jp-ui-font-color0', 30),
    accent: read('var(--jp-brand-color1)', surface),
    missing: read('var(--kb-missing)', surface),
    found: read('var(--jp-search-selected-match-background-color)', surface),
    groups: GROUPS.map(name =>
      read(`color-mix(in srgb, var(${name}) 82%, var(--jp-ui-font-color0))`, surface)
    ),
    font: getComputedStyle(host).fontFamily
  };
  probe.remove();
  return colours;
}

/** What a note is coloured by: its topmost folder, or its first tag; null without. */
export function groupOf(node: Node, colouring: Colouring): string | null {
  if (node.missing || colouring === 'none') {
    return null;
  }
  return (colouring === 'folder' ? node.folder.split('/')[0] : node.tags[0]?.split('/')[0]) || null;
}

/** The groups with most notes, at most as many as there are colours; others share the plain one. */
export function groupsOf(nodes: Iterable<Node>, colouring: Colouring): string[] {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const group = groupOf(node, colouring);
    if (group !== null) {
      counts.set(group, (counts.get(group) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
    .slice(0, GROUPS.length)
    .map(([group]) => group);
}
