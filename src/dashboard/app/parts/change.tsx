/** A change since the previous period, coloured as better or worse where it is either. */
import { formatDelta } from '../format.ts';

interface ChangeProps {
  /** Percentage; null where there is nothing to compare with. */
  delta: number | null | undefined;
  /** Less of it is better. */
  inverted?: boolean;
  /** Neither is better: more refunds are not. */
  isNeutral?: boolean;
  /** The earlier value. */
  tip?: string;
}

export const Change = ({ delta, inverted = false, isNeutral = false, tip }: ChangeProps) => {
  if (delta === null || delta === undefined) return null;
  const tone = delta === 0 || isNeutral ? 'level' : delta > 0 !== inverted ? 'better' : 'worse';
  const text = <span class={`change ${tone}`}>{formatDelta(delta)}</span>;
  if (tip === undefined) return text;
  return (
    <button type="button" class="explain" data-tip={tip}>
      {text}
    </button>
  );
};
