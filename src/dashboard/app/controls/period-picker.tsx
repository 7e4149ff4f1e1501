/** Chooses the period: a range by name, days by calendar, or the previous or next period. */
import { useCallback, useState } from 'preact/hooks';
import { type RangeKey, rangeKeys } from '../../../model/range-names.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { localDate } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Popover } from '../parts/popover.tsx';
import { type Period, periodOf, withPeriod } from '../question.ts';
import { t } from '../texts/text.ts';
import { Calendar } from './calendar.tsx';
import { ComparedDays, ComparisonChoice } from './comparison-choice.tsx';
import { movedPeriod, periodDays, periodLabel } from './period.ts';

/** The ranges as people look for them. Nine of them have a key, in the order of the API. */
const groups: readonly (readonly RangeKey[])[] = [
  ['today', 'yesterday', '24h'],
  ['week', 'last-week', 'month', 'last-month', 'year'],
  ['7d', '30d', '90d', '12m', 'all'],
];
const keyed = 9;

/** `hasComparison`: the page compares with a window of choice. */
export const PeriodPicker = ({ hasComparison = false }: { hasComparison?: boolean }) => {
  const { search, ask } = useAddress();
  const { now } = useApp();
  const { site } = useSite();
  const [isOpen, setIsOpen] = useState(false);
  /** The days to choose are those to compare with. */
  const [isCompared, setCompared] = useState(false);
  const setOpen = useCallback((next: boolean): void => {
    setCompared(false);
    setIsOpen(next);
  }, []);
  const period = periodOf(search);
  const today = localDate(now(), site.timezone);
  const days = periodDays(period, today);

  const choose = (next: Period): void => {
    setOpen(false);
    ask(withPeriod(search, next));
  };
  return (
    <div class="period">
      <Step direction={-1} period={period} today={today} onChoose={choose} />
      <Popover
        isOpen={isOpen}
        setOpen={setOpen}
        label={t('controls.period')}
        align="end"
        buttonClass="button period-button"
        button={
          <span class="period-label" data-shortcut="period">
            <Icon name="calendar" />
            {periodLabel(period, today)}
          </span>
        }
      >
        <div class="period-panel">
          <RangeList chosen={'range' in period ? period.range : null} onChoose={range => choose({ range })} />
          <div class="period-days">
            {isCompared ? (
              <ComparedDays today={today} onDone={() => setOpen(false)} />
            ) : (
              <>
                <Calendar
                  from={days?.from ?? null}
                  to={days === null || days.to > today ? today : days.to}
                  today={today}
                  onChoose={(from, to) => choose({ from, to })}
                />
                {hasComparison && <ComparisonChoice onDays={() => setCompared(true)} onDone={() => setOpen(false)} />}
              </>
            )}
          </div>
        </div>
      </Popover>
      <Step direction={1} period={period} today={today} onChoose={choose} />
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

interface StepProps {
  direction: -1 | 1;
  period: Period;
  today: string;
  onChoose: (period: Period) => void;
}
const Step = ({ direction, period, today, onChoose }: StepProps) => {
  const moved = movedPeriod(period, direction, today);
  const [name, icon] = direction === -1 ? (['earlier', 'left'] as const) : (['later', 'right'] as const);
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={t(`controls.${name}`)}
      data-shortcut={name}
      disabled={moved === null}
      onClick={() => moved !== null && onChoose(moved)}
    >
      <Icon name={icon} />
    </button>
  );
};
