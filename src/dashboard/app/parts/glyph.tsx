/**
 * Small pictures before the names of countries, browsers, systems, devices and sources, so that
 * rows are told apart at a glance. All are drawn here: none is anybody's file, and none is fetched.
 * They repeat the name, so they are hidden from screen readers.
 */
import type { ComponentChildren } from 'preact';
import type { FilterField } from '../../../model/filters.ts';
import { directName } from '../../../model/visit-fields.ts';
import { type Flag, flagOf } from './flags.ts';

export const Glyph = ({ field, value }: { field: FilterField; value: string }) => {
  const picture = pictures[field]?.(value);
  return picture === undefined ? null : picture;
};

const pictures: Partial<Record<FilterField, (value: string) => ComponentChildren>> = {
  country: value => {
    const flag = flagOf(value);
    return flag === undefined ? <span class="code">{value}</span> : <FlagPicture flag={flag} />;
  },
  browser: value => shaped(find(browsers, value) ?? globe),
  os: value => shaped(find(systems, value) ?? lined('M2.5 3.5h11v7h-11zM6 13.5h4')),
  device: value => shaped(devices[value] ?? lined('M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11')),
  channel: value => shaped(find(channels, value) ?? lined('M3 8h10M9 4l4 4-4 4')),
  referrer: value => (value === directName ? shaped(find(channels, 'Direct')!) : <Letter name={value} />),
  utmSource: value => <Letter name={value} />,
};

const shaped = (content: ComponentChildren) => (
  <svg class="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    {content}
  </svg>
);

const lined = (path: string) => <path class="icon" d={path} />;
const globe = lined('M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M2.5 8h11M8 2.5c4 4 4 7 0 11c-4-4-4-7 0-11');

type Named = readonly (readonly [name: RegExp, picture: ComponentChildren])[];
/** The first whose name fits. */
const find = (list: Named, value: string): ComponentChildren | undefined =>
  list.find(([name]) => name.test(value))?.[1];

const disc = (colour: string, r = 6.5) => <circle cx="8" cy="8" r={r} fill={colour} />;
const ring = (colour: string, width: number, r = 5) => (
  <circle cx="8" cy="8" r={r} fill="none" stroke={colour} stroke-width={width} />
);

const browsers: Named = [
  [
    /edge/i,
    <>
      {disc('#1b74c5')}
      <path
        d="M2 9.5C4 5 11 4.5 12.5 8.5C10 7.5 7 8.5 7.5 11.5C8 13 9 14 10.5 14A6.5 6.5 0 0 1 2 9.5z"
        fill="#4cd3b0"
      />
    </>,
  ],
  [/opera/i, ring('#e5202b', 3)],
  [
    /samsung/i,
    <>
      {disc('#6b5fd0')}
      {ring('#fff', 1.4, 3.2)}
    </>,
  ],
  [
    /firefox/i,
    <>
      {disc('#f2761b')}
      <circle cx="8.5" cy="8.5" r="3.6" fill="#6a3fb4" />
    </>,
  ],
  [
    /chrom/i,
    <>
      <path d="M8 8L2.37 4.75A6.5 6.5 0 0 1 13.63 4.75z" fill="#e34133" />
      <path d="M8 8L13.63 4.75A6.5 6.5 0 0 1 8 14.5z" fill="#f7c02c" />
      <path d="M8 8V14.5A6.5 6.5 0 0 1 2.37 4.75z" fill="#31a552" />
      <circle cx="8" cy="8" r="3.2" fill="#fff" />
      <circle cx="8" cy="8" r="2.4" fill="#3f7de8" />
    </>,
  ],
  [
    /safari|webkit/i,
    <>
      {disc('#2a94e8')}
      <path d="M12 4L9 9L7 7z" fill="#f0503c" />
      <path d="M4 12L7 7L9 9z" fill="#fff" />
    </>,
  ],
];

const systems: Named = [
  [/windows/i, <path d="M2.5 2.5h5v5h-5zM8.5 2.5h5v5h-5zM2.5 8.5h5v5h-5zM8.5 8.5h5v5h-5z" fill="#1b87d6" />],
  [/android/i, <path d="M2 11.5a6 6 0 0 1 12 0zM4 3l1.5 2.5M12 3l-1.5 2.5" fill="#3bbf6f" stroke="#3bbf6f" />],
  [/^mac/i, lined('M3.5 3.5h9v6.5h-9zM1.5 12.5h13')],
  [/ios|ipad/i, lined('M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1M7 12.5h2')],
  [/ubuntu/i, ring('#e0552b', 3)],
  [/chrom/i, ring('#3f7de8', 3)],
  [/linux|debian|fedora|bsd/i, lined('M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10.5h2.5')],
];

const devices: Readonly<Record<string, ComponentChildren>> = {
  desktop: lined('M2.5 3h11v7.5h-11zM5.5 13.5h5M8 10.5v3'),
  mobile: lined('M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1M7 12.5h2'),
  tablet: lined('M3 2h10v12h-10zM7 12h2'),
};

const channels: Named = [
  [/search|shopping/i, lined('M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9M10.5 10.5L14 14')],
  [/mail|sms|push/i, lined('M2.5 4h11v8h-11zM2.5 4.5L8 9l5.5-4.5')],
  [/AI/, lined('M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z')],
  [/video|audio/i, lined('M4.5 3l8 5-8 5z')],
  [
    /social/i,
    lined(
      'M5.5 3a2 2 0 1 1 0 4a2 2 0 1 1 0-4M2 13c0-2.5 1.5-4 3.5-4s3.5 1.5 3.5 4M11 4.5a1.7 1.7 0 1 1 0 3.4M11.5 9.5c1.5.3 2.5 1.5 2.5 3.5',
    ),
  ],
  [/referral|affiliate/i, lined('M6.5 9.5l3-3M7 5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7')],
  [/direct/i, lined('M3 13V3M3 8h9M9 5l3 3-3 3')],
  [/paid|display|ads/i, lined('M2.5 6.5v3l8 3v-9zM12.5 6.5c1 .5 1 2.5 0 3')],
];

/** How many hues letters have. */
const hues = 8;

/** The first letter of a name, in a colour that it always has. */
export const Letter = ({ name }: { name: string }) => {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 9973;
  const [first = '?'] = name.replace(/^www\./, '');
  return (
    <span class={`glyph letter hue-${sum % hues}`} aria-hidden="true">
      {first.toUpperCase()}
    </span>
  );
};

const width = 18;
const height = 12;

const FlagPicture = ({ flag: { kind, parts, disc: middle } }: { flag: Flag }) => (
  <svg class="glyph flag" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
    {kind === 'h' || kind === 'v'
      ? stripes(kind === 'h', parts)
      : emblem(
          kind,
          parts.map(({ colour }) => colour),
        )}
    {middle !== undefined && <circle cx={width / 2} cy={height / 2} r={height / 5} fill={middle} />}
  </svg>
);

const stripes = (isAcross: boolean, parts: Flag['parts']) => {
  const all = parts.reduce((sum, part) => sum + part.parts, 0);
  let at = 0;
  return parts.map(({ colour, parts: own }) => {
    const [from, share] = [at / all, own / all];
    at += own;
    const place = isAcross
      ? { x: 0, y: from * height, width, height: share * height }
      : { x: from * width, y: 0, width: share * width, height };
    return <rect key={from} {...place} fill={colour} />;
  });
};

/** What cannot be said with stripes. */
const emblem = (kind: Exclude<Flag['kind'], 'h' | 'v'>, [field, first, second]: string[]) => (
  <>
    <rect width={width} height={height} fill={field} />
    {kind === 'o' && <circle cx={width / 2} cy={height / 2} r={height * 0.3} fill={first} />}
    {kind === 'x' && <path d="M7.8 2.5h2.4v2.3h2.3v2.4h-2.3v2.3H7.8V7.2H5.5V4.8h2.3z" fill={first} />}
    {kind === 'n' && <path d="M5 0h3v4.5h10v3H8V12H5V7.5H0v-3h5z" fill={first} />}
    {kind === 'n' && second !== undefined && <path d="M6 0h1v5.5h11v1H7V12H6V6.5H0v-1h6z" fill={second} />}
    {kind === 'c' && <path d="M0 2.4h18v2.4H0zM0 7.2h18v2.4H0z" fill={first} />}
    {kind === 'c' && <path d="M0 0h8v6.5H0z" fill={second} />}
    {kind === 'g' && <path d="M0 0L18 12M18 0L0 12" stroke={first} stroke-width="2.4" />}
    {kind === 'g' && <path d="M0 0L18 12M18 0L0 12" stroke={second} stroke-width="0.8" />}
    {kind === 'g' && <path d="M9 0v12M0 6h18" stroke={first} stroke-width="4" />}
    {kind === 'g' && <path d="M9 0v12M0 6h18" stroke={second} stroke-width="2.2" />}
  </>
);
