/** Crawlers: by name, the pages they read, and the status they got. */

import { useMemo, useState } from 'preact/hooks';
import { breakdownLimitMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import type { Crawls } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import type { ChartSeries } from '../chart/readout.tsx';
import { TimeChart } from '../chart/time-chart.tsx';
import { Controls } from '../controls/controls.tsx';
import { formatAgo, formatNumber, formatShare } from '../format.ts';
import { valueLabel } from '../names.ts';
import { numberHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { Spark } from '../parts/spark.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { BarName, mostOf, Table, type TableColumn } from '../parts/table.tsx';
import { Explain } from '../parts/tips.tsx';
import { askedSearch, toggledValue, withChoice } from '../question.ts';
import { rich, t } from '../texts/text.ts';
import { type AnswerState, useAnswer } from '../use-answer.ts';
import { crawlerKinds, knownCrawler } from './kinds.ts';
import { SuspectSection } from './suspects.tsx';

/** The fields that crawls share with hits, and so the filters that apply. */
const fields = ['path'];

type By = Crawls['by'];

/** Crawls of the period by one field; of some crawlers and of one status, where they are given. */
const useCrawls = (
  by: By,
  crawlers: readonly string[] | null,
  status: string | null,
  isAsked = true,
): AnswerState<Crawls> => {
  const { search } = useAddress();
  const { site } = useSite();
  const asked = askedSearch(search, fields);
  asked.set('by', by);
  asked.set('limit', String(breakdownLimitMax));
  for (const name of crawlers ?? []) asked.append('name', name);
  if (status !== null) asked.set('status', status);
  return useAnswer(isAsked ? askSite(site, 'ext/crawlers', asked) : null, by);
};

/** In the place of a crawler's name in the address: all that gather for AI. */
const allOfAi = 'ai:*';
/** A question has room for so many names. */
const namesMax = 100;

const isOfAi = (name: string): boolean => {
  const kind = knownCrawler(name)?.kind;
  return kind !== undefined && crawlerKinds[kind].isAi;
};

export const CrawlersPage = () => {
  const { search } = useAddress();
  const crawler = search.get('_crawler');
  const status = search.get('_status');
  const byName = useCrawls('name', null, status);
  const aiNames = byName.data?.data.flatMap(({ name }) => (isOfAi(name) ? [name] : [])).slice(0, namesMax) ?? [];
  const ofAi = useCrawls('name', aiNames, status, aiNames.length > 0);
  const chosen = crawler === allOfAi ? aiNames : crawler === null ? null : [crawler];
  const isKnown = chosen === null || chosen.length > 0;
  const byPath = useCrawls('path', chosen, status, isKnown);
  const byStatus = useCrawls('status', chosen, null, isKnown);
  const name = crawler === allOfAi ? t('crawlers.ai') : crawler;
  return (
    <>
      <Controls fields={fields} />
      <Answered answer={byName}>
        {crawls =>
          crawls.total === 0 ? (
            <NoCrawls />
          ) : (
            <>
              <Totals
                crawls={crawls}
                ofAi={aiNames.length > 0 ? ofAi.data : undefined}
                isChosen={crawler === allOfAi}
              />
              <Trend answer={byPath} of={[name, status].filter(Boolean).join(' ')} />
              <div class="panels">
                <div class="stack">
                  <Names crawls={crawls} chosen={crawler} />
                  <Part by="status" answer={byStatus} crawler={name} />
                </div>
                <Part by="path" answer={byPath} crawler={name} />
              </div>
            </>
          )
        }
      </Answered>
      <SuspectSection fields={fields} />
    </>
  );
};

const NoCrawls = () => (
  <Empty drawing="page">
    <p>{t('crawlers.none')}</p>
    <p class="hint">{rich('crawlers.none.note', { request: <code>POST /crawl</code> })}</p>
  </Empty>
);

interface TotalsProps {
  crawls: Crawls;
  /** Undefined until it is there, and where there are none. */
  ofAi: Crawls | undefined;
  isChosen: boolean;
}

/** All crawls, and those for AI with their course: a click shows them alone. */
const Totals = ({ crawls: { total, data }, ofAi, isChosen }: TotalsProps) => {
  const { search, href } = useAddress();
  const byAi = data.filter(row => isOfAi(row.name)).reduce((sum, row) => sum + row.crawls, 0);
  return (
    <dl class="figures few crawl-figures sheet">
      <div class="figure">
        <dt>
          <Explain tip={t('crawl.crawls.meaning')}>{t('crawl.crawls')}</Explain>
        </dt>
        <dd>
          <span class="figure-value">{formatNumber(total)}</span>
        </dd>
      </div>
      <div class="figure" data-figure="ai">
        <dt>
          <Explain tip={t('crawl.ai.meaning')}>{t('crawl.ai')}</Explain>
        </dt>
        <dd>
          <span class="figure-value">{formatNumber(byAi)}</span> <span class="hint">{formatShare(byAi, total)}</span>
          {byAi > 0 && (
            <a
              class="ai-trend"
              href={href(withChoice(search, '_crawler', isChosen ? null : allOfAi))}
              aria-current={isChosen ? 'true' : undefined}
            >
              <Spark values={ofAi?.series.map(({ crawls }) => crawls) ?? []} />
              {t(isChosen ? 'crawlers.all' : 'crawlers.ai.show')}
            </a>
          )}
        </dd>
      </div>
    </dl>
  );
};

/** `of` names the crawler and the status that are chosen. */
const Trend = ({ answer, of }: { answer: AnswerState<Crawls>; of: string }) => {
  const label = of === '' ? t('crawl.crawls') : of;
  return (
    <section class="trend panel" aria-label={t('crawlers.chart')}>
      <h2>{label}</h2>
      <Answered answer={answer}>{({ series }) => <Course series={series} label={label} />}</Answered>
    </section>
  );
};

const Course = ({ series, label }: { series: Crawls['series']; label: string }) => {
  const dates = useMemo(() => series.map(({ date }) => date), [series]);
  const line = useMemo<ChartSeries>(() => ({ label, values: series.map(({ crawls }) => crawls) }), [series, label]);
  return <TimeChart label={t('crawlers.chart')} dates={dates} series={line} />;
};

type Crawled = Crawls['data'][number];

const Names = ({ crawls, chosen }: { crawls: Crawls; chosen: string | null }) => {
  const { search, href } = useAddress();
  const { now } = useApp();
  const most = mostOf(crawls.data.map(row => row.crawls));
  const columns: TableColumn<Crawled>[] = [
    {
      ...{ name: 'name', head: t('common.name'), class: 'row-name' },
      cell: row => (
        <>
          <BarName
            part={row.crawls / most}
            href={href(withChoice(search, '_crawler', row.name === chosen ? null : row.name))}
            isChosen={row.name === chosen}
          >
            {row.name}
          </BarName>{' '}
          <Kind name={row.name} />
        </>
      ),
    },
    {
      ...{ name: 'last', ...numberHead('crawl.lastSeen', 'last') },
      cell: ({ lastSeen }) => formatAgo(lastSeen, now()),
    },
    { ...{ name: 'crawls', ...numberHead('crawl.crawls') }, cell: ({ crawls: count }) => formatNumber(count) },
  ];
  return (
    <section class="panel" aria-label={t('crawlers.list')}>
      <header class="panel-head">
        <h2>{t('crawlers.list')}</h2>
      </header>
      <Table
        class="rows crawlers"
        columns={columns}
        rows={crawls.data}
        keyOf={({ name }) => name}
        rowOf={({ name }) => ({ class: name === chosen ? 'chosen' : undefined })}
      />
    </section>
  );
};

const Kind = ({ name }: { name: string }) => {
  const crawler = knownCrawler(name);
  if (crawler === undefined) return null;
  const { isAi } = crawlerKinds[crawler.kind];
  const kind = t(`crawlerKind.${crawler.kind}`);
  return (
    <span class={isAi ? 'kind ai' : 'kind'} data-tip={t(`crawlerKind.${crawler.kind}.meaning`)}>
      {crawler.operator === null ? kind : t('crawlers.kindOf', { operator: crawler.operator, kind })}
    </span>
  );
};

interface PartProps {
  by: 'path' | 'status';
  answer: AnswerState<Crawls>;
  crawler: string | null;
}

const Part = ({ by, answer, crawler }: PartProps) => {
  const { search, href } = useAddress();
  const ofStatus = by === 'path' ? search.get('_status') : null;
  return (
    <section class="panel" aria-label={t(by === 'path' ? 'crawlers.pages' : 'crawlers.status')}>
      <header class="panel-head">
        <h2>{partTitle(by, crawler, ofStatus)}</h2>
        {(crawler !== null || ofStatus !== null) && (
          <a class="quiet-link" href={href(withChoice(withChoice(search, '_crawler', null), '_status', null))}>
            <Icon name="close" /> {t('crawlers.all')}
          </a>
        )}
      </header>
      <Answered answer={answer}>{({ data }) => <PartRows by={by} data={data} />}</Answered>
    </section>
  );
};

/** `status` is that of the pages. */
const partTitle = (by: 'path' | 'status', crawler: string | null, status: string | null): string => {
  if (by === 'status') return crawler === null ? t('crawlers.status') : t('crawlers.status.of', { crawler });
  if (crawler === null) return status === null ? t('crawlers.pages') : t('crawlers.pages.with', { status });
  return status === null ? t('crawlers.pages.of', { crawler }) : t('crawlers.pages.both', { crawler, status });
};

const rowsShown = 12;

const PartRows = ({ by, data }: { by: 'path' | 'status'; data: Crawls['data'] }) => {
  const { search, href } = useAddress();
  const [isWhole, setWhole] = useState(false);
  const rows = isWhole ? data : data.slice(0, rowsShown);
  const chosenStatus = search.get('_status');
  const most = mostOf(rows.map(row => row.crawls));
  const isChosen = (name: string): boolean => by === 'status' && name === chosenStatus;
  const columns: TableColumn<Crawled>[] = [
    {
      name: 'name',
      head: t(by === 'path' ? 'crawlers.page' : 'crawlers.httpStatus'),
      class: 'row-name',
      cell: ({ name, crawls }) =>
        by === 'path' ? (
          <BarName
            part={crawls / most}
            title={valueLabel('path', name)}
            href={href(toggledValue(search, 'path', name))}
          >
            {valueLabel('path', name)}
          </BarName>
        ) : (
          <BarName
            part={crawls / most}
            href={href(withChoice(search, '_status', isChosen(name) ? null : name))}
            isChosen={isChosen(name)}
            tip={t(name === 'unknown' ? 'crawlers.status.unknown' : 'crawlers.status.tip')}
          >
            {name}
          </BarName>
        ),
    },
    { ...{ name: 'crawls', ...numberHead('crawl.crawls') }, cell: ({ crawls }) => formatNumber(crawls) },
  ];
  return (
    <>
      <Table
        class="rows"
        {...{ columns, rows }}
        keyOf={({ name }) => name}
        rowOf={({ name }) => ({ class: isChosen(name) ? 'chosen' : undefined })}
      />
      {rows.length < data.length && (
        <button type="button" class="button" onClick={() => setWhole(true)}>
          {t('common.allRows', { count: data.length })}
        </button>
      )}
    </>
  );
};
