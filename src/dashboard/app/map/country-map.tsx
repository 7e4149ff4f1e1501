/**
 * The world: the more visitors a country has, the darker it is, on a logarithmic scale so that
 * small countries show beside large ones. Keyboard and screen readers use the list beside it, which
 * holds the same countries.
 */
import { useMemo } from 'preact/hooks';
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

  const onClick = ({ target }: MouseEvent): void => {
    const code = (target as Element).getAttribute('data-country');
    if (code === null) return;
    if (visitors.has(code) || isFilteredTo(search, 'country', code)) ask(toggledValue(search, 'country', code));
  };
  return (
    <div class="country-map" aria-hidden="true">
      <svg viewBox={`0 0 ${worldSize.width} ${worldSize.height}`} aria-hidden="true" onClick={onClick}>
        {countries}
      </svg>
      {visitors.size > 0 && <Legend most={Math.max(...visitors.values())} />}
    </div>
  );
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
