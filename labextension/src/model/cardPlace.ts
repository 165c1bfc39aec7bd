// Where a card stands beside the link that it belongs to. No DOM.

export const WIDTHS = { preview: 320, missing: 280 };

const GAP = 4;
const MARGIN = 8;

interface Box {
  left: number;
  top: number;
  bottom: number;
}

/** Below the link, at its left edge; above it where there is no room below; always within the window. */
export function placeCard(
  link: Box,
  card: { width: number; height: number },
  window: { width: number; height: number }
): { left: number; top: number } {
  const below = link.bottom + GAP;
  const above = link.top - GAP - card.height;
  const fits = below + card.height <= window.height - MARGIN;
  const top = fits || above < MARGIN ? below : above;
  const left = Math.min(link.left, window.width - MARGIN - card.width);
  return {
    left: Math.max(MARGIN, left),
    top: Math.max(MARGIN, Math.min(top, window.height - MARGIN - card.height))
  };
}
