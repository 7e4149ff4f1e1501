/** Chooses the period: a range by name, days by calendar, or the previous or next period. */
import { useState } from 'preact/hooks';
import { rangeKeys, ranges } from '../../../model/range-names.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { localDate } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Popover } from '../parts/popover.tsx';
import { type Period, periodOf, withPeriod } from '../question.ts';
import { Calendar } from './calendar.tsx';
import { movedPeriod, periodDays, periodLabel } from './period.ts';

export const PeriodPicker = () => {
  const { search, ask } = useAddress();
  const { now } = useApp();
  const { site } = useSite();
  const [isOpen, setOpen] = useState(false);
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
        label="Period"
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
          <ul class="range-list">
            {rangeKeys.map((range, i) => (
              <li key={range}>
                <button
                  type="button"
                  aria-pressed={'range' in period && period.range === range}
                  onClick={() => choose({ range })}
                >
                  {ranges[range]}
                  <kbd>{i + 1}</kbd>
                </button>
              </li>
            ))}
          </ul>
          <Calendar
            from={days?.from ?? null}
            to={days === null || days.to > today ? today : days.to}
            today={today}
            onChoose={(from, to) => choose({ from, to })}
          />
        </div>
      </Popover>
      <Step direction={1} period={period} today={today} onChoose={choose} />
    </div>
  );
};

interface StepProps {
  direction: -1 | 1;
  period: Period;
  today: string;
  onChoose: (period: Period) => void;
}
const Step = ({ direction, period, today, onChoose }: StepProps) => {
  const moved = movedPeriod(period, direction, today);
  const [name, label, icon] =
    direction === -1 ? (['earlier', 'Previous period', 'left'] as const) : (['later', 'Next period', 'right'] as const);
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      data-shortcut={name}
      disabled={moved === null}
      onClick={() => moved !== null && onChoose(moved)}
    >
      <Icon name={icon} />
    </button>
  );
};
