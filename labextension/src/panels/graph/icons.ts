// Icons of the graph's toolbar and its zoom buttons.
import { icon } from '../../ui/icons';

export const backIcon = icon('back', '<path d="M13.5 8H2.8M7 3.6 2.6 8 7 12.4"/>');
export const forwardIcon = icon('forward', '<path d="M2.5 8h10.7M9 3.6 13.4 8 9 12.4"/>');
export const filterIcon = icon('filter', '<path d="M2 4h12M4.5 8h7M6.8 12h2.4"/>');
export const listIcon = icon('list', '<path d="M5.5 4H14M5.5 8H14M5.5 12H14M2.2 4h.6M2.2 8h.6M2.2 12h.6"/>');
export const closerIcon = icon('zoom-in', '<path d="M8 3v10M3 8h10"/>');
export const fartherIcon = icon('zoom-out', '<path d="M3 8h10"/>');
export const fitIcon = icon('fit', '<path d="M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3"/>');
