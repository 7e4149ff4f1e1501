/** All rows of a dimension, as many as the API returns, with a search. */
import { useState } from 'preact/hooks';
import type { DimensionName } from '../../../model/dimensions.ts';
import { breakdownLimitMax } from '../../../model/limits.ts';
import { formatNumber } from '../format.ts';
import { dimensionLabel, valueLabel } from '../names.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Rows, useBreakdown } from './rows.tsx';

interface RowsDialogProps {
  dimension: DimensionName;
  total: number | undefined;
  onClose: () => void;
}

export const RowsDialog = ({ dimension, total, onClose }: RowsDialogProps) => {
  const [text, setText] = useState('');
  const answer = useBreakdown(dimension, breakdownLimitMax);
  const matches = (name: string): boolean =>
    `${valueLabel(dimension, name)} ${name}`.toLowerCase().includes(text.toLowerCase());
  return (
    <Dialog title={dimensionLabel(dimension)} size="large" onClose={onClose}>
      <input
        type="search"
        class="search"
        placeholder="Search"
        aria-label="Search these rows"
        autofocus
        value={text}
        onInput={event => setText(event.currentTarget.value)}
      />
      <div class="dialog-scroll" tabIndex={-1}>
        <Answered answer={answer}>
          {({ data }) => {
            const rows = data.filter(row => matches(row.name));
            return (
              <>
                {rows.length === 0 ? (
                  <Empty>No matches.</Empty>
                ) : (
                  <Rows dimension={dimension} rows={rows} total={total} hasHits />
                )}
                {data.length === breakdownLimitMax && (
                  <p class="hint">
                    The {formatNumber(breakdownLimitMax)} with the most visitors. Add a filter to see others.
                  </p>
                )}
              </>
            );
          }}
        </Answered>
      </div>
    </Dialog>
  );
};
