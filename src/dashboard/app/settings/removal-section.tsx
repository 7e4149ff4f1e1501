/** Leaves out the hits that filters select, after a look at what goes, and puts them back. */

import { useContext, useState } from 'preact/hooks';
import { filterFields, readFilter, typedParameter } from '../../../model/filters.ts';
import { reasonCharsMax } from '../../../model/limits.ts';
import { rangeDefault } from '../../../model/ranges.ts';
import type { RemovalList, RemovalView, RemoveHits, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Controls } from '../controls/controls.tsx';
import { AskedButton } from '../form/asked-button.tsx';
import { Field, useSubmit } from '../form/form.tsx';
import { formatDay, formatDays, formatNumber } from '../format.ts';
import { valueLabel } from '../names.ts';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { askedSearch, filterGroups, searchText } from '../question.ts';
import { filtersWords } from '../steps/conditions.ts';
import { rich, t } from '../texts/text.ts';
import { type AnswerState, RefreshNowContext, useAnswer } from '../use-answer.ts';
import { Section } from './section.tsx';
import { useProgress } from './use-progress.ts';

export const RemovalSection = ({ site }: { site: SiteView }) => {
  const { search } = useAddress();
  const list = useAnswer<RemovalList>(`/app/sites/${site.id}/removals`);
  useProgress(list);
  const asked = askedSearch(search);
  if (['range', 'from', 'to'].every(name => !asked.has(name))) asked.set('range', rangeDefault);
  return (
    <Section title={t('settings.removal')} note={t('settings.removal.note')}>
      <Controls />
      {filterGroups(search).length === 0 ? (
        <p class="hint">{t('settings.removal.choose')}</p>
      ) : (
        <Preview key={asked.toString()} site={site} asked={asked} list={list} />
      )}
      <Answered answer={list}>{data => <Removed site={site} list={data} retry={list.retry} />}</Answered>
    </Section>
  );
};

interface PreviewProps {
  site: SiteView;
  asked: URLSearchParams;
  list: AnswerState<RemovalList>;
}

/** All numbers are others from now on. */
const useChanged = (retry: () => void): (() => void) => {
  const { client } = useApp();
  const refresh = useContext(RefreshNowContext);
  return () => {
    client.forget();
    refresh();
    retry();
  };
};

const pagesShown = 10;
/** More than there are kinds of devices. */
const devicesMax = 100;

/** What goes, and the button that removes it once somebody has confirmed it. */
const Preview = ({ site, asked, list }: PreviewProps) => {
  const { client } = useApp();
  const onChange = useChanged(list.retry);
  const [reason, setReason] = useState('');
  const top = (dimension: string, limit: number) =>
    askSite(site, 'breakdown', new URLSearchParams([...asked, ['dimension', dimension], ['limit', String(limit)]]));
  const stats = useAnswer(askSite(site, 'stats', asked));
  const pages = useAnswer(top('path', pagesShown));
  // Each hit is of one device, so their hits are all.
  const devices = useAnswer(top('device', devicesMax));
  const form = useSubmit(async () => {
    const body: RemoveHits = { search: searchText(asked).slice(1), reason };
    await client.post<RemovalList>(`/app/sites/${site.id}/removals`, body);
    setReason('');
    onChange();
  });
  const hits = devices.data?.data.reduce((sum, { events }) => sum + events, 0);
  if (stats.data === undefined || hits === undefined) return <p class="hint">{t('settings.removal.counting')}</p>;
  const { visitors, visits } = stats.data;
  return (
    <section class="form" aria-label={t('settings.removal.preview')}>
      <p>{rich('settings.removal.would', { strong: inner => <strong>{inner}</strong>, hits, visits, visitors })}</p>
      <ul class="rows">
        {pages.data?.data.map(({ name, events }) => (
          <li key={name} class="row">
            <span class="row-name">{valueLabel('path', name)}</span>
            <span class="number">{formatNumber(events)}</span>
          </li>
        ))}
      </ul>
      <Field
        label={t('settings.removal.reason')}
        name="reason"
        autocomplete="off"
        maxLength={reasonCharsMax}
        value={reason}
        onValue={setReason}
        form={form}
      />
      <div class="form-actions">
        <AskedButton
          form={form}
          label={t('settings.removal.remove')}
          action={t('settings.removal.now', { count: hits })}
          danger
          disabled={hits === 0}
        />
        {(form.error ?? form.errorOf('search')) !== null && (
          <p class="field-error" role="alert">
            {form.error ?? form.errorOf('search')}
          </p>
        )}
      </div>
    </section>
  );
};

const Removed = ({ site, list, retry }: { site: SiteView; list: RemovalList; retry: () => void }) => {
  const onChange = useChanged(retry);
  const { running, failure, data } = list;
  const columns: TableColumn<RemovalView>[] = [
    {
      ...{ name: 'filters', head: t('settings.removal.filters'), isName: true },
      cell: removal => <RemovedWhat removal={removal} />,
    },
    {
      ...{ name: 'hits', head: t('settings.removal.hits'), class: 'number' },
      cell: ({ hits }) => (hits === null ? '…' : formatNumber(hits)),
    },
    {
      ...{ name: 'undo', head: <span class="unseen">{t('settings.removal.putBack')}</span>, class: 'number' },
      cell: ({ id }) => <PutBack {...{ site, id, onChange }} isBusy={running !== null} />,
    },
  ];
  return (
    <>
      <p class="hint" role="status">
        {running !== null &&
          (running.isWaiting
            ? t('settings.work.waiting')
            : t('settings.removal.puttingBack', { done: running.done, of: running.of, hits: running.hits }))}
      </p>
      {failure !== null && (
        <p class="field-error" role="alert">
          {failure}
        </p>
      )}
      {data.length > 0 && (
        <Table
          class="table removals"
          label={t('settings.removal.list')}
          columns={columns}
          rows={data}
          keyOf={({ id }) => id}
        />
      )}
    </>
  );
};

/** Of the filters of a rule; as they are where they cannot be read. */
const wordsOf = (filters: string): string => {
  const typed = filters.split('; ').map(typedParameter);
  const isRead = typed.every(([name, value]) => readFilter(name, value, filterFields) !== undefined);
  return isRead ? filtersWords(new URLSearchParams(typed)) : filters;
};

const RemovedWhat = ({ removal: { filters, period, createdAt, by, reason } }: { removal: RemovalView }) => (
  <>
    {wordsOf(filters)}
    {reason !== null && <p class="hint">{reason}</p>}
    <p class="hint">
      {t('settings.removal.made', {
        days: period === 'all' ? t('settings.removal.all') : formatDays(...(period.split('_') as [string, string])),
        date: formatDay(createdAt.slice(0, 10)),
        by: by ?? t('settings.removal.command'),
      })}
    </p>
  </>
);

interface PutBackProps {
  site: SiteView;
  id: RemovalView['id'];
  isBusy: boolean;
  onChange: () => void;
}

const PutBack = ({ site, id, isBusy, onChange }: PutBackProps) => {
  const { client } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/sites/${site.id}/removals/${id}/undo`, {});
    onChange();
  });
  return (
    <form onSubmit={form.submit}>
      <button type="submit" class="button" disabled={isBusy || form.isPending}>
        {t('settings.removal.putBack')}
      </button>
      {form.error !== null && (
        <p class="field-error" role="alert">
          {form.error}
        </p>
      )}
    </form>
  );
};
