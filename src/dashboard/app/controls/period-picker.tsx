/** Chooses the period: a range by name, days by calendar, or the previous or next period. */
import { useState } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { localDate } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Popover } from '../parts/popover.tsx';
import { type ChosenPeriod, periodOf, withPeriod } from '../question.ts';
import { t } from '../texts/text.ts';
import { movedPeriod, periodLabel } from './period.ts';

const PeriodPanel = lazy(async () => (await import('../overlays.ts')).PeriodPanel);

/** `hasComparison`: the page compares with a window of choice. */
export const PeriodPicker = ({ hasComparison = false }: { hasComparison?: boolean }) => {
  const { search, ask } = useAddress();
  const { now } = useApp();
  const { site } = useSite();
  const [isOpen, setOpen] = useState(false);
  const period = periodOf(search);
  const today = localDate(now(), site.timezone);

  const choose = (next: ChosenPeriod): void => {
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
        <PeriodPanel {...{ period, today, hasComparison }} onChoose={choose} onDone={() => setOpen(false)} />
      </Popover>
      <Step direction={1} period={period} today={today} onChoose={choose} />
    </div>
  );
};

interface StepProps {
  direction: -1 | 1;
  period: ChosenPeriod;
  today: string;
  onChoose: (period: ChosenPeriod) => void;
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
