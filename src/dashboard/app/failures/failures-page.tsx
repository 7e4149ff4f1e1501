/**
 * Failures: the pages that answered with an error, as people saw them (an event that is named after
 * the status, such as `404`) and as crawlers did. Each leads to its visits or crawls.
 */

import { breakdownLimitMax, eventsMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import type { EventList } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Controls } from '../controls/controls.tsx';
import { formatNumber } from '../format.ts';
import { valueLabel } from '../names.ts';
import { numberHead } from '../parts/heads.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { BarName, mostOf, Table, type TableColumn } from '../parts/table.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { askedSearch, searchText, withChoice } from '../question.ts';
import { pagePath } from '../routes.ts';
import { type FigureKey, rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';

/** Filters that both lists can apply. */
const fields = ['path'];

export const FailuresPage = () => (
  <>
    <Controls fields={fields} />
    <div class="panels">
      <SeenByPeople />
      <SeenByCrawlers />
    </div>
  </>
);

/** HTTP statuses of errors. */
const isFailure = (status: string): boolean => /^[45]\d\d$/.test(status);

interface FailureRow {
  path: string;
  count: number;
  /** The page that says more. */
  href: string;
  visitors?: number;
}

const SeenByPeople = () => {
  const { search } = useAddress();
  const { site, base } = useSite();
  const asked = askedSearch(search, fields);
  const list = new URLSearchParams([...asked, ['event^', '4'], ['event^', '5'], ['limit', String(eventsMax)]]);
  const events = useAnswer<EventList>(askSite(site, 'events', list));
  const statuses = (events.data?.data ?? []).map(({ name }) => name).filter(isFailure);
  const status = chosenTab(search, '_people', statuses);
  const byPath = new URLSearchParams([
    ...asked,
    ['event', status ?? '404'],
    ['dimension', 'path'],
    ['limit', String(breakdownLimitMax)],
  ]);
  const path = statuses.length === 0 ? null : askSite(site, 'breakdown', byPath);
  const answer = useAnswer(path, status);
  const visitsOf = (failed: string): string => {
    const question = askedSearch(search, []);
    question.set('event', status);
    question.set('path', failed);
    return pagePath(base, 'visits') + searchText(question);
  };
  return (
    <section class="panel" aria-label={t('failures.people')}>
      <header class="panel-head">
        <h2>{t('failures.people')}</h2>
        {statuses.length > 1 && (
          <Tabs
            label={t('failures.status')}
            choice="_people"
            current={status}
            tabs={statuses.map(name => ({ name, label: name }))}
          />
        )}
      </header>
      <Answered answer={events}>
        {() =>
          statuses.length === 0 ? (
            <NoneReported />
          ) : (
            <Answered answer={answer}>
              {({ data }) => (
                <Failed
                  rows={data.map(row => ({
                    path: row.name,
                    count: row.events,
                    visitors: row.value,
                    href: visitsOf(row.name),
                  }))}
                  figure="failures.count"
                />
              )}
            </Answered>
          )
        }
      </Answered>
    </section>
  );
};

/** With the line that reports them. */
const NoneReported = () => (
  <Empty>
    <p>{t('failures.people.none')}</p>
    <p class="hint">
      {rich('failures.people.note', {
        code: <code>{'<script>addEventListener("load", () => window.tracker?.("404"))</script>'}</code>,
      })}
    </p>
  </Empty>
);

const SeenByCrawlers = () => {
  const { search } = useAddress();
  const { site, base } = useSite();
  const asked = askedSearch(search, fields);
  const byStatus = new URLSearchParams([...asked, ['by', 'status'], ['limit', String(breakdownLimitMax)]]);
  const all = useAnswer(askSite(site, 'ext/crawlers', byStatus), 'status');
  const statuses = (all.data?.data ?? []).map(({ name }) => name).filter(isFailure);
  const status = chosenTab(search, '_crawled', statuses);
  const byPath = new URLSearchParams([
    ...asked,
    ['status', status ?? '404'],
    ['by', 'path'],
    ['limit', String(breakdownLimitMax)],
  ]);
  const answer = useAnswer(statuses.length === 0 ? null : askSite(site, 'ext/crawlers', byPath), status);
  const crawlsOf = (failed: string): string => {
    const question = askedSearch(search, []);
    question.set('path', failed);
    return pagePath(base, 'crawlers') + searchText(withChoice(question, '_status', status));
  };
  return (
    <section class="panel" aria-label={t('failures.crawlers')}>
      <header class="panel-head">
        <h2>{t('failures.crawlers')}</h2>
        {statuses.length > 1 && (
          <Tabs
            label={t('failures.status')}
            choice="_crawled"
            current={status}
            tabs={statuses.map(name => ({ name, label: name }))}
          />
        )}
      </header>
      <Answered answer={all}>
        {() =>
          statuses.length === 0 ? (
            <Empty>{t('failures.crawlers.none')}</Empty>
          ) : (
            <Answered answer={answer}>
              {({ data }) => (
                <Failed
                  rows={data.map(row => ({ path: row.name, count: row.crawls, href: crawlsOf(row.name) }))}
                  figure="crawl.crawls"
                />
              )}
            </Answered>
          )
        }
      </Answered>
    </section>
  );
};

interface FailedProps {
  rows: readonly FailureRow[];
  /** What is counted. */
  figure: FigureKey;
}

const Failed = ({ rows, figure }: FailedProps) => {
  const most = mostOf(rows.map(row => row.count));
  const columns: TableColumn<FailureRow>[] = [
    {
      ...{ name: 'path', head: t('failures.page'), class: 'row-name' },
      cell: ({ path, count, href }) => (
        <BarName part={count / most} title={valueLabel('path', path)} href={href}>
          {valueLabel('path', path)}
        </BarName>
      ),
    },
    { ...{ name: 'visitors', ...numberHead('row.value') }, cell: ({ visitors }) => formatNumber(visitors ?? 0) },
    { ...{ name: 'count', ...numberHead(figure) }, cell: ({ count }) => formatNumber(count) },
  ];
  const shown = columns.filter(({ name }) => name !== 'visitors' || rows.some(row => row.visitors !== undefined));
  return <Table class="rows" columns={shown} rows={rows} keyOf={({ path }) => path} />;
};
