// Where the notes of a small graph stand: forces without chance, so that a note's picture is the same each time.

const ROUNDS = 240;

/** Places for nodes, the first in the middle, in a field `width` by `height`; `edges` are pairs of indices. */
export function layout(nodes, edges, width, height) {
  const x = new Float64Array(nodes.length);
  const y = new Float64Array(nodes.length);
  const ring = Math.min(width, height) / 3;
  nodes.forEach((node, at) => {
    // The golden angle spreads any number of points evenly.
    const angle = at * 2.399963;
    const far = at === 0 ? 0 : ring * Math.max(1, node.distance) * (0.7 + 0.3 * ((at * 7) % 5) / 5);
    x[at] = far * Math.cos(angle);
    y[at] = far * Math.sin(angle);
  });
  const wish = Math.sqrt((width * height) / Math.max(nodes.length, 6)) * 0.75;
  const linked = nodes.length > 1 ? edges : [];
  for (let round = 0; round < ROUNDS; round++) {
    step(x, y, linked, wish, (1 - round / ROUNDS) * wish * 0.12);
  }
  return fitted(x, y, width, height);
}

function step(x, y, edges, wish, most) {
  const dx = new Float64Array(x.length);
  const dy = new Float64Array(x.length);
  for (let a = 0; a < x.length; a++) {
    for (let b = 0; b < a; b++) {
      push(x, y, dx, dy, a, b, distance => (wish * wish) / distance);
    }
  }
  for (const [a, b] of edges) {
    push(x, y, dx, dy, a, b, distance => -(distance * distance) / wish);
  }
  for (let at = 1; at < x.length; at++) {
    dx[at] -= x[at] * 0.05;
    dy[at] -= y[at] * 0.05;
    const length = Math.hypot(dx[at], dy[at]) || 1;
    x[at] += (dx[at] / length) * Math.min(length, most);
    y[at] += (dy[at] / length) * Math.min(length, most);
  }
}

function push(x, y, dx, dy, a, b, force) {
  const across = x[a] - x[b] || 0.01 * (a - b);
  const down = y[a] - y[b] || 0.01;
  const distance = Math.hypot(across, down);
  const share = force(distance) / distance;
  dx[a] += across * share;
  dy[a] += down * share;
  dx[b] -= across * share;
  dy[b] -= down * share;
}

// Labels stand to the right of their points, so more room is left there.
function fitted(x, y, width, height) {
  const [left, right, top, bottom] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
  const room = { left: 24, right: 128, top: 20, bottom: 20 };
  const wide = (width - room.left - room.right) / Math.max(right - left, 1);
  const high = (height - room.top - room.bottom) / Math.max(bottom - top, 1);
  const places = [];
  for (let at = 0; at < x.length; at++) {
    const one = x.length === 1;
    places.push([one ? width / 2 : room.left + (x[at] - left) * wide, one ? height / 2 : room.top + (y[at] - top) * high]);
  }
  return places;
}
