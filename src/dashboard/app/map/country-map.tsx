/**
 * The world: the more visitors a country has, the darker it is, on a logarithmic scale so that
 * small countries show beside large ones. Keyboard and screen readers use the list beside it, which
 * holds the same countries. A country that is filtered to is seen from nearer.
 */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { regionName } from '../names.ts';
import type { ValueRows } from '../overview/rows.tsx';
import { isFilteredTo, toggledValue } from '../question.ts';
import { t } from '../texts/text.ts';
import { worldDots, worldShapes, worldSize } from './world.ts';

const entries = (lines: string): [code: string, rest: string][] =>
  lines
    .trim()
    .split('\n')
    .map(line => [line.slice(0, 2), line.slice(3)]);
const shapes = entries(worldShapes).map(([code, path]) => ({ code, path }));
const dots = entries(worldDots).map(([code, rest]) => {
  const [x, y] = rest.split(' ').map(Number);
  return { code, x, y };
});

const shades = 5;
const dotRadius = 2.2;

export interface CountryMapProps {
  /** Visitors by country. */
  rows: ValueRows['data'];
}

export const CountryMap = ({ rows }: CountryMapProps) => {
  const { search, ask } = useAddress();
  const visitors = useMemo(() => new Map(rows.map(row => [row.name, row.value])), [rows]);
  const chosen = search.getAll('country').join(' ');
  // About two hundred shapes, drawn again only when one may look different.
  const countries = useMemo(() => drawn(visitors, chosen.split(' ')), [visitors, chosen]);

  const picture = useRef<SVGSVGElement>(null);
  useLayoutEffect(() => {
    const near = picture.current!.querySelectorAll<SVGGraphicsElement>('.chosen');
    picture.current!.setAttribute('viewBox', viewOf(near.length === 1 ? near[0]!.getBBox() : null));
  }, [countries]);

  const onClick = ({ target }: MouseEvent): void => {
    const code = (target as Element).getAttribute('data-country');
    if (code === null) return;
    if (visitors.has(code) || isFilteredTo(search, 'country', code)) ask(toggledValue(search, 'country', code));
  };
  return (
    <div class="country-map" aria-hidden="true">
      <svg viewBox={viewOf(null)} aria-hidden="true" ref={picture} onClick={onClick}>
        {countries}
      </svg>
      {visitors.size > 0 && <Legend most={Math.max(...visitors.values())} />}
    </div>
  );
};

/** How much of the world is seen around a country at least, of its width. */
const nearestShare = 1 / 6;

/** The part of the world that the map shows: that around a shape, or all of it. */
const viewOf = (shape: DOMRect | null): string => {
  const { width, height } = worldSize;
  if (shape === null) return `0 0 ${width} ${height}`;
  const share = Math.min(Math.max((2 * shape.width) / width, (2 * shape.height) / height, nearestShare), 1);
  const [seenWidth, seenHeight] = [share * width, share * height];
  const within = (middle: number, seen: number, whole: number): number =>
    Math.min(Math.max(middle - seen / 2, 0), whole - seen);
  const x = within(shape.x + shape.width / 2, seenWidth, width);
  const y = within(shape.y + shape.height / 2, seenHeight, height);
  return [x, y, seenWidth, seenHeight].map(value => value.toFixed(1)).join(' ');
};

const stepPx = 15;

/** From one visitor to those of the country that has most. */
const Legend = ({ most }: { most: number }) => (
  <p class="map-legend">
    1
    <svg viewBox={`0 0 ${shades * stepPx} 10`} aria-hidden="true">
      {Array.from({ length: shades }, (_, i) => (
        <rect key={i} class={`shade-${i + 1}`} x={i * stepPx} width={stepPx} height="10" />
      ))}
    </svg>
    {t('count.visitors', { count: most })}
  </p>
);

const drawn = (visitors: ReadonlyMap<string, number>, chosen: readonly string[]) => {
  const most = Math.max(...visitors.values(), 1);
  const look = ({ code }: { code: string }) => {
    const value = visitors.get(code);
    const shade = value === undefined ? 0 : 1 + Math.round((Math.log1p(value) / Math.log1p(most)) * (shades - 1));
    return {
      class: `country shade-${shade}${chosen.includes(code) ? ' chosen' : ''}`,
      'data-tip': t('map.country', {
        country: regionName(code),
        visitors: value === undefined ? t('count.noVisitors') : t('count.visitors', { count: value }),
      }),
      'data-country': code,
    };
  };
  return [
    ...shapes.map(shape => <path key={shape.code} d={shape.path} {...look(shape)} />),
    ...dots
      .filter(({ code }) => visitors.has(code))
      .map(dot => <circle key={dot.code} cx={dot.x} cy={dot.y} r={dotRadius} {...look(dot)} />),
  ];
};
