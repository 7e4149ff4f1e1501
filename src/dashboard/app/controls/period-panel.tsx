/** What opens below the period: ranges by name, a calendar, and what to compare with. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type RangeKey, rangeKeys } from '../../../model/ranges.ts';
import type { ChosenPeriod } from '../question.ts';
import { t } from '../texts/text.ts';
import { Calendar } from './calendar.tsx';
import { ComparedDays, ComparisonChoice } from './comparison-choice.tsx';
import { periodDays } from './period.ts';

/** The ranges as people look for them. Nine of them have a key, in the order of the API. */
const groups: readonly (readonly RangeKey[])[] = [
  ['today', 'yesterday', '24h'],
  ['week', 'last-week', 'month', 'last-month', 'quarter', 'last-quarter', 'year', 'last-year'],
  ['7d', '30d', '90d', '12m', 'all'],
];
const keyed = 9;

interface PeriodPanelProps {
  period: ChosenPeriod;
  today: string;
  hasComparison: boolean;
  onChoose: (period: ChosenPeriod) => void;
  onDone: () => void;
}

export const PeriodPanel = ({ period, today, hasComparison, onChoose, onDone }: PeriodPanelProps) => {
  /** The days to choose are those to compare with. */
  const [isCompared, setCompared] = useState(false);
  const days = periodDays(period, today);
  const root = useRef<HTMLDivElement>(null);
  // The popover gave the focus before there was anything to take it.
  useLayoutEffect(() => root.current!.querySelector<HTMLElement>('[tabindex="0"]')?.focus(), []);
  return (
    <div class="period-panel" ref={root}>
      <RangeList chosen={'range' in period ? period.range : null} onChoose={range => onChoose({ range })} />
      <div class="period-days">
        {isCompared ? (
          <ComparedDays today={today} onDone={onDone} />
        ) : (
          <>
            <Calendar
              from={days?.from ?? null}
              to={days === null || days.to > today ? today : days.to}
              today={today}
              onChoose={(from, to) => onChoose({ from, to })}
            />
            {hasComparison && <ComparisonChoice onDays={() => setCompared(true)} onDone={onDone} />}
          </>
        )}
      </div>
    </div>
  );
};

const RangeList = ({ chosen, onChoose }: { chosen: RangeKey | null; onChoose: (range: RangeKey) => void }) => (
  <div class="range-list">
    {groups.map(group => (
      <ul key={group[0]}>
        {group.map(range => (
          <li key={range}>
            <button type="button" aria-pressed={range === chosen} onClick={() => onChoose(range)}>
              {t(`range.${range}`)}
              {rangeKeys.indexOf(range) < keyed && <kbd>{rangeKeys.indexOf(range) + 1}</kbd>}
            </button>
          </li>
        ))}
      </ul>
    ))}
  </div>
);
