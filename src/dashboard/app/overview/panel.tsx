/** One panel: tabs of dimensions, the rows of the chosen one, and a way to all of its rows. */
import { useRef } from 'preact/hooks';
import { type DimensionName, dimensions } from '../../../model/dimensions.ts';
import { useAddress } from '../address.tsx';
import type { Breakdown } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { dimensionLabel } from '../names.ts';
import { Answered, Empty } from '../parts/states.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { askedSearch, searchText, withChoice } from '../question.ts';
import { type Answer, useAnswer } from '../use-answer.ts';
import type { PanelRow } from './panels.ts';
import { Rows } from './rows.tsx';
import { RowsDialog } from './rows-dialog.tsx';

const rowsShown = 10;

interface PanelProps {
  panel: PanelRow;
  /** Visitors of the slice. */
  total: number | undefined;
}

/** Path of a breakdown under the address's question. */
export const breakdownPath = (siteId: string, search: URLSearchParams, dimension: DimensionName, limit: number) => {
  const asked = askedSearch(search);
  asked.set('dimension', dimension);
  asked.set('limit', String(limit));
  return `/api/v1/sites/${siteId}/breakdown${searchText(asked)}`;
};

export const Panel = ({ panel, total }: PanelProps) => {
  const { search } = useAddress();
  const dimension = chosenTab(search, panel.choice, panel.tabs);
  const answer = useBreakdown(dimension);
  return (
    <section class="panel" aria-label={panel.label}>
      <PanelHead panel={panel} dimension={dimension} />
      <PanelRows panel={panel} dimension={dimension} total={total} answer={answer} />
    </section>
  );
};

/** One row more than is shown tells whether there are more. Nothing is asked for null. */
export const useBreakdown = (dimension: DimensionName | null, limit = rowsShown + 1): Answer<Breakdown> => {
  const { search } = useAddress();
  const { site } = useSite();
  const path = dimension === null ? null : breakdownPath(site.id, search, dimension, limit);
  return useAnswer<Breakdown>(path, dimension ?? '');
};

export const PanelHead = ({ panel, dimension }: { panel: PanelRow; dimension: DimensionName }) => (
  <header class="panel-head">
    <h2>{panel.label}</h2>
    {panel.tabs.length > 1 && (
      <Tabs
        label={panel.label}
        choice={panel.choice}
        current={dimension}
        tabs={panel.tabs.map(name => ({ name, label: tabLabel(name), tip: dimensions[name].meaning }))}
      />
    )}
  </header>
);

/** Short: the panel says already what they have in common. */
const tabLabel = (name: DimensionName): string =>
  dimensionLabel(name).replace(/^UTM (.)|(.) page$/, (_, a, b) => (a ? a.toUpperCase() : b));

interface PanelRowsProps extends PanelProps {
  dimension: DimensionName;
  answer: Answer<Breakdown>;
}

export const PanelRows = ({ panel, dimension, total, answer }: PanelRowsProps) => {
  // Rows that are about to be replaced keep the shares that they came with.
  const whole = useRef(total);
  if (!answer.pending) whole.current = total;
  return (
    <div class="panel-body">
      <Answered answer={answer}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{panel.empty}</Empty>
          ) : (
            <>
              <Rows dimension={dimension} rows={data.slice(0, rowsShown)} total={whole.current} />
              {data.length > rowsShown && <More dimension={dimension} total={total} />}
            </>
          )
        }
      </Answered>
    </div>
  );
};

/** The whole list; whether it is open stands in the address. */
const More = ({ dimension, total }: { dimension: DimensionName; total: number | undefined }) => {
  const { search, href, ask } = useAddress();
  const isOpen = search.get('_all') === dimension;
  return (
    <>
      <a
        class="more-link"
        href={href(withChoice(search, '_all', dimension))}
        aria-label={`All of ${dimensionLabel(dimension)}`}
      >
        All
      </a>
      {isOpen && (
        <RowsDialog dimension={dimension} total={total} onClose={() => ask(withChoice(search, '_all', null))} />
      )}
    </>
  );
};
