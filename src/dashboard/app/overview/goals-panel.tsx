/** The goals of a site: how often each was reached. A click shows the visits that reached it. */

import { type FilterKind, filterName } from '../../../model/filters.ts';
import { useAddress } from '../address.tsx';
import type { GoalRow } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatMoney, formatNumber, formatPercent } from '../format.ts';
import { noValue } from '../metric-text.ts';
import { numberHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { BarName, mostOf, Table, type TableColumn } from '../parts/table.tsx';
import { Toggle } from '../parts/toggle.tsx';
import { askedSearch, filterGroups, searchText, withChoice, withFilter, withoutFilter } from '../question.ts';
import { pagePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { chosenGoal, withGoal } from './choices.ts';

export const GoalsPanel = () => {
  const { search } = useAddress();
  const { site, rights } = useSite();
  const answer = useAnswer(askSite(site, 'ext/goals', askedSearch(search)));
  // Strangers have no way to make one.
  if (!rights.has('define') && answer.data?.data.length === 0) return null;
  return (
    <section class="panel goals" aria-label={t('overview.goals')}>
      <header class="panel-head">
        <h2>{t('overview.goals')}</h2>
      </header>
      <div class="panel-body">
        <Answered answer={answer}>
          {({ data, currency }) => (data.length === 0 ? <NoGoals /> : <GoalRows rows={data} currency={currency} />)}
        </Answered>
      </div>
    </section>
  );
};

const NoGoals = () => (
  <Empty drawing="goal">
    <p>{t('overview.goals.none')}</p>
    <GoalsLink label={t('overview.goals.add')} isButton />
  </Empty>
);

/** Leads the owner to the form. */
const GoalsLink = ({ label, isButton = false }: { label: string; isButton?: boolean }) => {
  const { search } = useAddress();
  const { base, rights } = useSite();
  if (!rights.has('define')) return null;
  const form = withChoice(withChoice(search, '_section', 'goals'), '_new', '');
  return (
    <a class={isButton ? 'button primary' : 'more-link'} href={pagePath(base, 'settings') + searchText(form)}>
      {label}
    </a>
  );
};

const reached: FilterKind = { field: 'goal', operator: 'is', negated: false, visit: true };

const GoalRows = ({ rows, currency }: { rows: readonly GoalRow[]; currency: string }) => {
  const { search, href } = useAddress();
  const most = mostOf(rows.map(row => row.visitors));
  const without = withoutFilter(search, reached);
  const isChosen = (goal: string): boolean =>
    filterGroups(search).some(group => group.name === filterName(reached) && group.values.includes(goal));
  // On phones, names need their room.
  const columns: TableColumn<GoalRow>[] = [
    {
      name: 'name',
      head: t('field.goal'),
      class: 'row-name',
      cell: ({ name, visitors }) => (
        <BarName
          part={visitors / most}
          href={href(isChosen(name) ? without : withFilter(without, reached, name))}
          title={name}
          isChosen={isChosen(name)}
        >
          {name}
        </BarName>
      ),
    },
    {
      name: 'choice',
      head: <span class="unseen">{t('overview.bySource')}</span>,
      class: 'goal-choice',
      cell: ({ name }) => <BySource goal={name} />,
    },
    {
      ...{ name: 'conversions', ...numberHead('goal.conversions', 'phone-minor conversions') },
      cell: ({ conversions }) => formatNumber(conversions),
    },
    {
      ...{ name: 'visitors', ...numberHead('goal.visitors', 'visitors') },
      cell: ({ visitors }) => formatNumber(visitors),
    },
    {
      ...{ name: 'conversionRate', ...numberHead('goal.conversionRate', 'conversionRate') },
      cell: ({ conversionRate }) => formatPercent(conversionRate),
    },
    {
      ...{ name: 'value', ...numberHead('goal.value', 'phone-minor value') },
      cell: row => amountOf(row, currency),
    },
  ];
  return (
    <>
      <Table
        class="rows goals"
        {...{ columns, rows }}
        keyOf={({ name }) => name}
        rowOf={({ name }) => ({ class: isChosen(name) ? 'chosen' : undefined })}
      />
      <GoalsLink label={t('overview.goals.change')} />
    </>
  );
};

const amountOf = ({ value, revenue, totalValue }: GoalRow, currency: string): string => {
  const money = value === null ? revenue : totalValue;
  return money === null || (value === null && money === 0) ? noValue : formatMoney(money, currency);
};

/** Shows the goal's conversion rate in all panels, or no longer. */
const BySource = ({ goal }: { goal: string }) => {
  const { search } = useAddress();
  const isCompared = chosenGoal(search) === goal;
  return (
    <Toggle
      class="quick-chip"
      isOn={isCompared}
      next={withGoal(search, isCompared ? null : goal)}
      label={t('overview.bySource.of', { goal })}
      tip={t('overview.converted.show', { goal })}
    >
      <Icon name="table" />
      <span>{t('overview.bySource')}</span>
    </Toggle>
  );
};
