/** Visits that look automated: why, how many, and the way to each of them. */

import { useAddress } from '../address.tsx';
import type { Suspects } from '../answers.ts';
import { isShown, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatNumber } from '../format.ts';
import { Answered } from '../parts/states.tsx';
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

const Reasons = ({ rows }: { rows: Suspects['data'] }) => (
  <div class="table-scroll">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{t('suspects.reason')}</th>
          <th scope="col">{t('health.meaning')}</th>
          <th scope="col" class="number">
            {t('common.visitors')}
          </th>
          <th scope="col" class="number">
            {t('common.visits')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <Reason key={row.reason} row={row} />
        ))}
      </tbody>
    </table>
  </div>
);

const Reason = ({ row: { reason, visits, visitors, leftOut } }: { row: Suspects['data'][number] }) => {
  const { search } = useAddress();
  const state = useSite();
  const { base } = state;
  const label = t(`suspect.${reason}`);
  const them = searchText(withOnly(askedSearch(search), 'suspect', reason));
  return (
    <tr>
      <th scope="row">
        {!isShown(state, 'visits') || visits === 0 ? label : <a href={pagePath(base, 'visits') + them}>{label}</a>}{' '}
        {leftOut && <span class="kind">{t('suspects.leftOut')}</span>}
      </th>
      <td class="soft">{t(`suspect.${reason}.meaning`)}</td>
      <td class="number">{formatNumber(visitors)}</td>
      <td class="number">{formatNumber(visits)}</td>
    </tr>
  );
};
