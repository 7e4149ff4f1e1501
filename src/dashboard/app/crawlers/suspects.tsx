/** Visits that look automated: why, how many, and the way to each of them. */
import { suspectReasons } from '../../../model/suspects.ts';
import { useAddress } from '../address.tsx';
import type { Suspects } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { formatNumber } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { askedSearch, searchText, withOnly } from '../question.ts';
import { pagePath } from '../routes.ts';
import { type Answer, useAnswer } from '../use-answer.ts';

/** `fields` are those that the page filters by. */
export const useSuspects = (fields: readonly string[]): Answer<Suspects> => {
  const { search } = useAddress();
  const { site } = useSite();
  return useAnswer<Suspects>(`/api/ext/sites/${site.id}/suspects${searchText(askedSearch(search, fields))}`);
};

export const SuspectSection = ({ fields }: { fields: readonly string[] }) => (
  <section class="panel suspects" aria-label="Suspect visits">
    <header class="panel-head">
      <h2>Suspect visits</h2>
    </header>
    <p class="hint">
      Visits that look automated by what is kept of them. They count like all others, unless the settings leave them
      out.
    </p>
    <Answered answer={useSuspects(fields)}>{({ data }) => <Reasons rows={data} />}</Answered>
  </section>
);

const Reasons = ({ rows }: { rows: Suspects['data'] }) => (
  <div class="table-scroll">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Reason</th>
          <th scope="col">What it means</th>
          <th scope="col" class="number">
            Visitors
          </th>
          <th scope="col" class="number">
            Visits
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
  const { base, own } = useSite();
  const { label, meaning } = suspectReasons[reason];
  const them = searchText(withOnly(askedSearch(search), 'suspect', reason));
  return (
    <tr>
      <th scope="row">
        {own === null || visits === 0 ? label : <a href={pagePath(base, 'visits') + them}>{label}</a>}{' '}
        {leftOut && <span class="kind">left out</span>}
      </th>
      <td class="soft">{meaning}</td>
      <td class="number">{formatNumber(visitors)}</td>
      <td class="number">{formatNumber(visits)}</td>
    </tr>
  );
};
