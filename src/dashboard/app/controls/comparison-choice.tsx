/** Chooses what to compare with: by name, with the same weekdays on wish, or by days. */
import { useAddress } from '../address.tsx';
import { formatDays } from '../format.ts';
import { chosenComparison, comparedDays, withComparison } from '../overview/choices.ts';
import { t } from '../texts/text.ts';
import { Calendar } from './calendar.tsx';
import { aligned, comparisonLabels, comparisonNames } from './comparison-label.ts';

interface ComparisonProps {
  today: string;
  onDone: () => void;
}

/** Days to compare with. */
export const ComparedDays = ({ today, onDone }: ComparisonProps) => {
  const { search, ask } = useAddress();
  const days = comparedDays(chosenComparison(search));
  const choose = (from: string, to: string): void => {
    onDone();
    ask(withComparison(search, `${from}_${to}`));
  };
  return (
    <>
      <h2 class="compare-head">{t('compare.with')}</h2>
      <Calendar from={days?.from ?? null} to={days?.to ?? today} today={today} onChoose={choose} />
    </>
  );
};

/** `onDays`: somebody wants to choose days. */
export const ComparisonChoice = ({ onDays, onDone }: { onDays: () => void; onDone: () => void }) => {
  const { search, ask } = useAddress();
  const chosen = chosenComparison(search);
  const days = comparedDays(chosen);
  const isAligned = chosen.endsWith(aligned);
  const choose = (compare: string): void => {
    onDone();
    ask(withComparison(search, compare));
  };
  return (
    <div class="compare-list">
      <h2 class="compare-head">{t('compare.with')}</h2>
      {comparisonNames.map(name => (
        <button
          key={name}
          type="button"
          aria-pressed={days === null && chosen.startsWith(name)}
          onClick={() => choose(name === 'none' || !isAligned ? name : name + aligned)}
        >
          {t(comparisonLabels[name])}
        </button>
      ))}
      <button type="button" aria-pressed={days !== null} onClick={onDays}>
        {days === null ? t('compare.custom') : formatDays(days.from, days.to)}
      </button>
      {days === null && chosen !== 'none' && (
        <label class="compare-weekdays">
          <input
            type="checkbox"
            checked={isAligned}
            onChange={() => choose(isAligned ? chosen.replace(aligned, '') : chosen + aligned)}
          />
          {t('compare.weekdays')}
        </label>
      )}
    </div>
  );
};
