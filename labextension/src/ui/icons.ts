// Icons of our own: 16 px, one stroke of 1.4, in the colour of the text around them.
import { LabIcon } from '@jupyterlab/ui-components';

export function icon(name: string, shapes: string): LabIcon {
  return new LabIcon({
    name: `jupyter-kb:${name}`,
    svgstr:
      '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" fill="none" ' +
      'stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" ' +
      `class="jp-kb-stroke">${shapes}</svg>`
  });
}

/** A notebook with two lines on its page. */
export const knowledgeBaseIcon = icon(
  'knowledge-base',
  '<rect x="2.7" y="1.7" width="10.6" height="12.6" rx="1"/><path d="M5.3 1.7v12.6M7.8 5.2h3M7.8 8h3"/>'
);
export const noteIcon = icon(
  'note',
  '<path d="M9.3 1.7H4.2c-.6 0-1 .4-1 1v10.6c0 .6.4 1 1 1h7.6c.6 0 1-.4 1-1V5.2z"/><path d="M9.3 1.7v3.5h3.5M5.6 8.2h4.8M5.6 11h4.8"/>'
);
export const graphIcon = icon(
  'graph',
  '<circle cx="3.6" cy="4.2" r="1.9"/><circle cx="12.2" cy="5.4" r="1.9"/><circle cx="7.2" cy="12" r="1.9"/>' +
    '<path d="m5.5 4.5 4.8.6M4.4 6l2 4.3M11.2 7l-2.8 3.5"/>'
);
/** Two waves: found by meaning. */
export const meaningIcon = icon(
  'meaning',
  '<path d="M2 6.2c1.5-1.8 3-1.8 4.5-.4s3 1.4 4.5-.4c.9-.9 1.9-1.2 3-.8M2 11c1.5-1.8 3-1.8 4.5-.4s3 1.4 4.5-.4c.9-.9 1.9-1.2 3-.8"/>'
);
export const brokenLinkIcon = icon(
  'broken-link',
  '<path d="M6.7 4.6 8.2 3.1a2.9 2.9 0 0 1 4.1 0l.6.6a2.9 2.9 0 0 1 0 4.1l-1.5 1.5M9.3 11.4l-1.5 1.5a2.9 2.9 0 0 1-4.1 0l-.6-.600a2.9 2.9 0 0 1 0-4.1l1.5-1.5M4.6 2v1.5M2 4.6h1.5M11.4 14v-1.5M14 11.4h-1.5"/>'
);
export const pinIcon = icon('pin', '<path d="M5.5 1.8h5M6.3 1.8v4.4L4.2 9h7.6L9.7 6.2V1.8M8 9v5.2"/>');
export const warningIcon = icon('warning', '<path d="M8 2.2 14.3 13.5H1.7zM8 6.5v3.3M8 11.7v.1"/>');
export const sortIcon = icon(
  'sort',
  '<path d="M4 2.5v10.8M1.8 11.2 4 13.4l2.2-2.2M8 3.5h6M8 7h4.5M8 10.5h3"/>'
);
/** The row that was opened last. */
export const openedIcon = icon('opened', '<path d="M6 4.2 10 8l-4 3.8z"/>');
export const headingIcon = icon(
  'heading',
  '<path d="M6.2 2.5 5 13.5M11 2.5 9.8 13.5M2.8 5.8h10.6M2.6 10.2h10.6"/>'
);
export const tagIcon = icon('tag', '<path d="M2.2 2.2h5.3l6.3 6.3-5.3 5.3-6.3-6.3zM5.2 5.2v.1"/>');
/** A cross in a circle: not done. */
export const failedIcon = icon(
  'failed',
  '<circle cx="8" cy="8" r="6.2"/><path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4"/>'
);
