/**
 * The icons, drawn as lines on a 16 by 16 grid. They repeat a label, so they are hidden from screen
 * readers.
 */

const paths = {
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  left: 'M10 3L5 8l5 5',
  right: 'M6 3l5 5-5 5',
  down: 'M3.5 6L8 10.5 12.5 6',
  up: 'M3.5 10.5L8 6l4.5 4.5',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9M10.5 10.5L14 14',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3',
  external: 'M6 3.5H3v9.5h9.5V10M9 2.5h4.5V7M13 3L7.5 8.5',
  download: 'M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  table: 'M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.75h11M6.5 3v10',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6a2.8 2.8 0 1 1 0-5.6M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M3.2 12.8l1.1-1.1M11.7 4.3l1.1-1.1',
  moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z',
  auto: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M8 2.5v11M8 5h3.5M8 8h5.3M8 11h3.5',
  note: 'M3 2.5h10v7.5l-3.5 3.5H3zM13 10H9.5v3.500M5.500 5.500h5M5.500 8h3',
  book: 'M8 4C6.500 2.900 4.500 2.500 2.500 2.500v10c2 0 4 .4 5.500 1.500 1.500-1.100 3.500-1.500 5.500-1.500v-10c-2 0-4 .4-5.500 1.500zM8 4v10',
  person: 'M8 2.5a2.75 2.75 0 1 1 0 5.5a2.75 2.75 0 1 1 0-5.5M2.75 13.5c.5-2.4 2.6-3.5 5.25-3.5s4.75 1.1 5.25 3.5',
  help: 'M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12M6 6.3a2 2 0 1 1 2.7 1.9c-.5.2-.7.5-.7 1.1M8 11.3v.2',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
