/**
 * What changed in a figure since the window compared with: the values of each dimension that rose
 * and fell most, as the API's `/explain` tells them. A click on one filters by it.
 */

import { useAddress } from '../address.tsx';
import type { Explanation } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { comparisonLabel } from '../controls/comparison-label.ts';
import { formatDay, formatPercent } from '../format.ts';
import { metricText } from '../metric-text.ts';
import { dimensionLabel, metricLabel, valueLabel } from '../names.ts';
import { Change } from '../parts/change.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { BarName, Table, type TableColumn } from '../parts/table.tsx';
import { askedSearch, isFilteredTo, toggledValue, withChoice } from '../question.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { chosenComparison, type FigureName } from './choices.ts';
import { noteText } from './notes.ts';

/** A mean is no sum of its rows; its visits are. */
const explainedBy = {
  visitors: 'visitors',
  visits: 'visits',
  pageviews: 'pageviews',
  events: 'events',
  revenue: 'revenue',
  viewsPerVisit: 'visits',
  bounceRate: 'visits',
  avgVisitSeconds: 'visits',
} as const satisfies Record<FigureName, Explanation['metric']>;

/** Values of a dimension: more would be a table. */
const valuesShown = 5;

export const ExplainDialog = ({ figure, onClose }: { figure: FigureName; onClose: () => void }) => {
  const { search } = useAddress();
  const { site } = useSite();
  const metric = explainedBy[figure];
  const asked = askedSearch(search);
  asked.set('metric', metric);
  asked.set('compare', chosenComparison(search));
  asked.set('limit', String(valuesShown));
  const answer = useAnswer(askSite(site, 'ext/explain', asked), metric);
  return (
    <Dialog title={t('explain.title', { metric: metricLabel(figure) })} size="large" onClose={onClose}>
      <div class="dialog-scroll explain-body" tabIndex={-1}>
        {metric !== figure && <p class="hint">{t('explain.mean', { metric: metricLabel(figure) })}</p>}
        <Answered answer={answer} waiting={<SkeletonRows count={12} />}>
          {explanation => <Told {...explanation} />}
        </Answered>
      </div>
    </Dialog>
  );
};

const Told = (explanation: Explanation) => {
  const { metric, value, previous, delta, beyondChance, data, notes, previousNotes } = explanation;
  const { site } = useSite();
  const { search } = useAddress();
  const shown = data.filter(({ rose, fell }) => rose.length + fell.length > 0);
  return (
    <>
      <p class="explain-head">
        <b>{metricText(metric, value, site.currency)}</b> <Change delta={delta} isNeutral={metric === 'events'} />{' '}
        <span class="hint">
          {`${comparisonLabel(chosenComparison(search))}: ${metricText(metric, previous, site.currency)}`}
        </span>{' '}
        {beyondChance !== null && <span class="kind">{t(beyondChance ? 'explain.beyond' : 'explain.chance')}</span>}
      </p>
      <Notes notes={[...previousNotes, ...notes]} />
      {metric === 'visitors' && shown.length > 0 && <p class="hint">{t('explain.overlap')}</p>}
      {shown.length === 0 && <Empty>{t('explain.nothing')}</Empty>}
      <div class="explain-parts">
        {shown.map(part => (
          <Part key={part.dimension} part={part} metric={metric} hasShares={beyondChance !== false} />
        ))}
      </div>
    </>
  );
};

const Notes = ({ notes }: Pick<Explanation, 'notes'>) =>
  notes.length === 0 ? null : (
    <ul class="explain-notes" aria-label={t('explain.notes')}>
      {notes.map(note => (
        <li key={note.id}>
          <strong>{formatDay(note.date)}</strong> {noteText(note)}
        </li>
      ))}
    </ul>
  );

type ExplainedPart = Explanation['data'][number];
type ChangedValue = ExplainedPart['rose'][number];

interface ChangedPartProps extends Pick<Explanation, 'metric'> {
  part: ExplainedPart;
  /** A share of a change that may be chance says nothing. */
  hasShares: boolean;
}

/** Of a dimension the values that changed most, whichever way. */
const Part = ({ part, metric, hasShares }: ChangedPartProps) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const { dimension, overlapping, unlistedMax } = part;
  const sizeOf = ({ change }: ChangedValue): number => Math.abs(change ?? 0);
  const rows = [...part.rose, ...part.fell].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, valuesShown);
  const most = Math.max(...rows.map(sizeOf), 1);
  const textOf = (value: number | null): string => metricText(metric, value, site.currency);
  const columns: TableColumn<ChangedValue>[] = [
    {
      ...{ name: 'name', head: dimensionLabel(dimension), class: 'row-name' },
      // The overview shows what is chosen, so the dialog closes.
      cell: row => (
        <BarName
          part={sizeOf(row) / most}
          href={href(withChoice(toggledValue(search, dimension, row.name), '_explain', null))}
          isChosen={isFilteredTo(search, dimension, row.name)}
          title={valueLabel(dimension, row.name)}
        >
          <Glyph field={dimension} value={row.name} />
          {valueLabel(dimension, row.name)}
        </BarName>
      ),
    },
    {
      ...{ name: 'value', head: metricLabel(metric), class: 'number' },
      cell: ({ value, previous }) => (
        <span data-tip={t('explain.row', { value: textOf(value), previous: textOf(previous) })}>{textOf(value)}</span>
      ),
    },
    {
      ...{ name: 'change', head: t('rollups.change'), class: 'number ranked' },
      cell: row => <ValueChange row={row} text={signed(row.change ?? 0, textOf)} />,
    },
    ...(overlapping || !hasShares
      ? []
      : [
          {
            ...{ name: 'share', head: t('row.share'), class: 'number share' },
            cell: ({ share }: ChangedValue) => (share === null ? '' : formatPercent(share)),
          },
        ]),
  ];
  return (
    <section aria-label={dimensionLabel(dimension)} data-dimension={dimension}>
      <Table
        class="rows"
        {...{ columns, rows }}
        keyOf={({ name }) => name}
        rowOf={({ change, beyondChance }) => ({
          class: `${(change ?? 0) < 0 ? 'fell' : 'rose'}${beyondChance === false ? ' chance' : ''}`,
        })}
      />
      {unlistedMax > 0 && <p class="hint">{t('explain.unlisted', { most: textOf(unlistedMax) })}</p>}
    </section>
  );
};

const signed = (change: number, textOf: (value: number) => string): string =>
  `${change < 0 ? '−' : '+'}${textOf(Math.abs(change))}`;

/** Quiet where chance may have brought it. */
const ValueChange = ({ row: { value, previous, change, beyondChance }, text }: { row: ChangedValue; text: string }) => (
  <span data-tip={beyondChance === null ? undefined : t(beyondChance ? 'explain.beyond' : 'explain.chance')}>
    {previous === 0 && <span class="new">{t('events.new')}</span>}
    {value === 0 && <span class="new">{t('explain.gone')}</span>}{' '}
    <span class={`delta-text ${(change ?? 0) < 0 ? 'down' : 'up'}`}>{text}</span>
  </span>
);
