// Icons that say how something stands, or start and stop it.
import { icon } from './icons';

export const errorIcon = icon(
  'error',
  '<circle cx="8" cy="8" r="6.3"/><path d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4"/>'
);
export const okIcon = icon('ok', '<circle cx="8" cy="8" r="6.3"/><path d="m5.3 8.2 2 2.1 3.5-4.2"/>');
export const clockIcon = icon('clock', '<circle cx="8" cy="8" r="6.3"/><path d="M8 4.6V8l2.2 1.5"/>');
export const infoIcon = icon('info', '<circle cx="8" cy="8" r="6.3"/><path d="M8 7.4v3.6M8 5v.1"/>');
export const pauseIcon = icon('pause', '<path d="M5.7 3.5v9M10.3 3.5v9"/>');
export const playIcon = icon('resume', '<path d="M5 3.4v9.2L12.4 8z"/>');
