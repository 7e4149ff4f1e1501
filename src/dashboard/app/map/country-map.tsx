/**
 * The world, each country as dark as it has visitors, in steps of a logarithm so that small countries show beside large ones. The same
 * countries stand in the list beside it, which the keyboard and screen readers use; the map is for the eye and the mouse.
 */
import type { BreakdownRow } from '../../../query/query.ts';
import { useAddress } from '../address.tsx';
import { formatNumber } from '../format.ts';
import { valueLabel } from '../names.ts';
import { isFilteredTo, withOnly, withoutValue } from '../question.ts';
import { worldDots, worldShapes, worldSize } from './world.ts';

const entries = (lines: string): [code: string, rest: string][] =>
  lines
    .trim()
    .split('\n')
    .map(line => [line.slice(0, 2), line.slice(3)]);
const shapes = entries(worldShapes);
const dots = entries(worldDots).map(
  ([code, rest]) => [code, ...rest.split(' ').map(Number)] as [string, number, number],
);

const shades = 6;
const dotRadius = 2.2;

export interface CountryMapProps {
  rows: readonly BreakdownRow[];
}

export const CountryMap = ({ rows }: CountryMapProps) => {
  const { search, ask } = useAddress();
  const visitors = new Map(rows.map(row => [row.name, row.value]));
  const most = Math.max(...visitors.values(), 1);

  const look = (code: string) => {
    const value = visitors.get(code);
    const shade = value === undefined ? 0 : 1 + Math.round((Math.log1p(value) / Math.log1p(most)) * (shades - 1));
    const isChosen = isFilteredTo(search, 'country', code);
    return {
      class: `country shade-${shade}${isChosen ? ' chosen' : ''}`,
      'data-tip': `${valueLabel('country', code)}: ${value === undefined ? 'nobody' : formatNumber(value)}`,
      'data-country': code,
      onClick: () => {
        if (value === undefined && !isChosen) return;
        ask(isChosen ? withoutValue(search, 'country', code) : withOnly(search, 'country', code));
      },
    };
  };
  return (
    <svg class="country-map" viewBox={`0 0 ${worldSize.width} ${worldSize.height}`} aria-hidden="true">
      {shapes.map(([code, path]) => (
        <path key={code} d={path} {...look(code)} />
      ))}
      {dots
        .filter(([code]) => visitors.has(code))
        .map(([code, x, y]) => (
          <circle key={code} cx={x} cy={y} r={dotRadius} {...look(code)} />
        ))}
    </svg>
  );
};
