/** Visits that look automated: why, how many, and the way to each of them. */

import { useAddress } from '../address.tsx';
import type { Suspects } from '../answers.ts';
import { isShown, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatNumber } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { askedSearch, searchText, withChoice, withOnly } from '../question.ts';
import { pagePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { type AnswerState, useAnswer } from '../use-answer.ts';

/** `fields` are those that the page filters by. */
export const useSuspects = (fields: readonly string[]): AnswerState<Suspects> => {
  const { search } = useAddress();
  const { site } = useSite();
  return useAnswer(askSite(site, 'ext/suspects', askedSearch(search, fields)));
};

export const SuspectSection = ({ fields }: { fields: readonly string[] }) => (
  <section class="panel suspects" aria-label={t('suspects.title')}>
    <header class="panel-head">
      <h2>{t('suspects.title')}</h2>
      <SpamLink label={t('suspects.exclude')} />
    </header>
    <p class="hint">{t('suspects.note')}</p>
    <Answered answer={useSuspects(fields)}>{({ data }) => <Reasons rows={data} />}</Answered>
  </section>
);

/** Leads the owner to where hits are left out, with the filters that are there. */
export const SpamLink = ({ label }: { label: string }) => {
  const { search } = useAddress();
  const { base, rights } = useSite();
  if (!rights.has('leaveOut')) return null;
  const target = withChoice(askedSearch(search), '_section', 'spam');
  return (
    <a class="quiet-link" href={pagePath(base, 'settings') + searchText(target)}>
      {label}
    </a>
  );
};

type Suspected = Suspects['data'][number];

const Reasons = ({ rows }: { rows: readonly Suspected[] }) => {
  const columns: TableColumn<Suspected>[] = [
    { name: 'reason', head: t('suspects.reason'), isName: true, cell: row => <Reason row={row} /> },
    {
      ...{ name: 'meaning', head: t('health.meaning'), class: 'soft' },
      cell: row => t(`suspect.${row.reason}.meaning`),
    },
    {
      ...{ name: 'visitors', head: t('common.visitors'), class: 'number phone-minor' },
      cell: ({ visitors }) => formatNumber(visitors),
    },
    { ...{ name: 'visits', head: t('common.visits'), class: 'number' }, cell: ({ visits }) => formatNumber(visits) },
  ];
  return (
    <div class="table-scroll">
      <Table {...{ columns, rows }} keyOf={({ reason }) => reason} />
    </div>
  );
};

const Reason = ({ row: { reason, visits, leftOut } }: { row: Suspected }) => {
  const { search } = useAddress();
  const state = useSite();
  const { base } = state;
  const label = t(`suspect.${reason}`);
  const them = searchText(withOnly(askedSearch(search), 'suspect', reason));
  return (
    <>
      {!isShown(state, 'visits') || visits === 0 ? label : <a href={pagePath(base, 'visits') + them}>{label}</a>}{' '}
      {leftOut && <span class="kind">{t('suspects.leftOut')}</span>}
    </>
  );
};
