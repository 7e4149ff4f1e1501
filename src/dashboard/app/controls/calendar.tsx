/**
 * A month to choose days from: the first click is the first day, the second the last. Days are
 * `2026-11-20`, without zone.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { addMonths as localPlusMonths } from '../../../model/calendar.ts';
import { dayMs } from '../../../model/time.ts';
import { formatDayInFull, formatMonth, formatShortWeekday, formatWeekday, wallDate, wallMs } from '../format.ts';
import { locale } from '../locale.ts';
import { Icon } from '../parts/icon.tsx';
import { t } from '../texts/text.ts';

interface CalendarProps {
  from: string | null;
  to: string | null;
  /** The last day that can be chosen. */
  today: string;
  onChoose: (from: string, to: string) => void;
}

const addDays = (date: string, days: number): string => wallDate(wallMs(date) + days * dayMs);
const addMonths = (date: string, months: number): string => wallDate(localPlusMonths(wallMs(date), months));
/** The first day of its week. */
const weekStart = (date: string): string =>
  addDays(date, -((new Date(wallMs(date)).getUTCDay() - locale().firstDay + 7) % 7));

/**
 * Six weeks from the one that the first of the month is in: the grid never changes its height.
 */
const weeksOf = (date: string): string[][] => {
  const first = weekStart(`${date.slice(0, 7)}-01`);
  return Array.from({ length: 6 }, (_, week) => Array.from({ length: 7 }, (_, day) => addDays(first, week * 7 + day)));
};

const steps: Readonly<Record<string, (date: string) => string>> = {
  ArrowLeft: date => addDays(date, -1),
  ArrowRight: date => addDays(date, 1),
  ArrowUp: date => addDays(date, -7),
  ArrowDown: date => addDays(date, 7),
  PageUp: date => addMonths(date, -1),
  PageDown: date => addMonths(date, 1),
  Home: weekStart,
  End: date => addDays(weekStart(date), 6),
};

export const Calendar = ({ from, to, today, onChoose }: CalendarProps) => {
  /** The day that has the keyboard focus; its month is shown. */
  const [cursor, setCursor] = useState(to ?? today);
  const [begun, setBegun] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const grid = useRef<HTMLTableElement>(null);
  const moved = useRef(false);

  // In a layout effect, so that the focus follows the cursor before the next key.
  useLayoutEffect(() => {
    if (moved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    moved.current = false;
  }, [cursor]);

  const choose = (date: string): void => {
    if (begun === null) {
      setBegun(date);
      setPointed(date);
      return;
    }
    setBegun(null);
    onChoose(...order(begun, date));
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = step(cursor);
    moved.current = true;
    setCursor(earlier(next, today));
    setPointed(earlier(next, today));
  };

  const [first, last] = begun === null ? [from, to] : order(begun, pointed ?? begun);
  const isChosen = (date: string): boolean => first !== null && last !== null && date >= first && date <= last;

  return (
    <div class="calendar">
      <MonthSteps cursor={cursor} today={today} setCursor={setCursor} />
      <table aria-label={formatMonth(cursor)} ref={grid} onKeyDown={onKey}>
        <WeekdayNames />
        <tbody>
          {weeksOf(cursor).map(week => (
            <tr key={week[0]}>
              {week.map(date => (
                <td key={date}>
                  <button
                    type="button"
                    tabIndex={date === cursor ? 0 : -1}
                    class={dayClass({ date, cursor, first, last, today, isChosen: isChosen(date) })}
                    disabled={date > today}
                    aria-label={formatDayInFull(date)}
                    aria-pressed={isChosen(date)}
                    onClick={() => choose(date)}
                    onPointerEnter={() => begun !== null && setPointed(date)}
                  >
                    {Number(date.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint" aria-live="polite">
        {begun === null ? t('controls.firstDay') : t('controls.lastDay')}
      </p>
    </div>
  );
};

const WeekdayNames = () => (
  <thead>
    <tr>
      {weeksOf('2026-01-01')[0]!.map(date => (
        <th key={date} scope="col" abbr={formatWeekday(date)}>
          {formatShortWeekday(date)}
        </th>
      ))}
    </tr>
  </thead>
);

interface MonthStepsProps {
  cursor: string;
  today: string;
  setCursor: (date: string) => void;
}

/** The month, and the buttons to the previous and the next one. */
const MonthSteps = ({ cursor, today, setCursor }: MonthStepsProps) => (
  <div class="calendar-head">
    <button
      type="button"
      class="icon-button"
      aria-label={t('controls.previousMonth')}
      onClick={() => setCursor(addMonths(cursor, -1))}
    >
      <Icon name="left" />
    </button>
    <span aria-live="polite">{formatMonth(cursor)}</span>
    <button
      type="button"
      class="icon-button"
      aria-label={t('controls.nextMonth')}
      disabled={cursor.slice(0, 7) >= today.slice(0, 7)}
      onClick={() => setCursor(earlier(addMonths(cursor, 1), today))}
    >
      <Icon name="right" />
    </button>
  </div>
);

const earlier = (a: string, b: string): string => (a < b ? a : b);
const order = (a: string, b: string): [string, string] => (a <= b ? [a, b] : [b, a]);

interface DayLook {
  date: string;
  cursor: string;
  first: string | null;
  last: string | null;
  today: string;
  isChosen: boolean;
}
const dayClass = ({ date, cursor, first, last, today, isChosen }: DayLook): string =>
  [
    'day',
    isChosen && 'chosen',
    (date === first || date === last) && isChosen && 'edge',
    date.slice(0, 7) !== cursor.slice(0, 7) && 'other-month',
    date === today && 'today',
  ]
    .filter(Boolean)
    .join(' ');
