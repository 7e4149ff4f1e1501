/** The goals of a site: how often each was reached. A click shows the visits that reached it. */

import { type FilterKind, filterName } from '../../../model/filters.ts';
import { useAddress } from '../address.tsx';
import type { GoalRow } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatMoney, formatNumber, formatPercent } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Explain } from '../parts/tips.tsx';
import { Toggle } from '../parts/toggle.tsx';
import { askedSearch, filterGroups, withFilter, withoutFilter } from '../question.ts';
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
  const { base, rights } = useSite();
  if (!rights.has('define')) return null;
  return (
    <a class={isButton ? 'button primary' : 'more-link'} href={`${pagePath(base, 'settings')}?_section=goals&_new=`}>
      {label}
    </a>
  );
};

const columns = ['conversions', 'visitors', 'conversionRate', 'value'] as const;
/** On phones, names need their room. */
const classes = { conversions: 'phone-minor ', visitors: '', conversionRate: '', value: 'phone-minor ' } as const;

const GoalRows = ({ rows, currency }: { rows: readonly GoalRow[]; currency: string }) => {
  const most = Math.max(...rows.map(row => row.visitors), 1);
  return (
    <>
      <table class="rows goals">
        <thead>
          <tr>
            <th scope="col">{t('field.goal')}</th>
            <td class="goal-choice" />
            {columns.map(name => (
              <th key={name} scope="col" class={`number ${classes[name]}${name}`}>
                <Explain tip={t(`goal.${name}.meaning`)}>{t(`goal.${name}`)}</Explain>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <Row key={row.name} row={row} most={most} currency={currency} />
          ))}
        </tbody>
      </table>
      <GoalsLink label={t('overview.goals.change')} />
    </>
  );
};

const reached: FilterKind = { field: 'goal', operator: 'is', negated: false, visit: true };

const Row = ({ row, most, currency }: { row: GoalRow; most: number; currency: string }) => {
  const { search, href } = useAddress();
  const { name, conversions, visitors, conversionRate, value, revenue, totalValue } = row;
  const isChosen = filterGroups(search).some(
    group => group.name === filterName(reached) && group.values.includes(name),
  );
  const isCompared = chosenGoal(search) === name;
  const without = withoutFilter(search, reached);
  const money = value === null ? revenue : totalValue;
  return (
    <tr class={isChosen ? 'chosen' : undefined}>
      <td class="row-name">
        <span class="row-bar" style={{ width: `${(visitors / most) * 100}%` }} />
        <a
          class="row-link"
          href={href(isChosen ? without : withFilter(without, reached, name))}
          title={name}
          aria-current={isChosen ? 'true' : undefined}
        >
          {name}
        </a>
      </td>
      <td class="goal-choice">
        <Toggle
          class="quick-chip"
          isOn={isCompared}
          next={withGoal(search, isCompared ? null : name)}
          label={t('overview.bySource.of', { goal: name })}
          tip={t('overview.converted.show', { goal: name })}
        >
          <Icon name="table" />
          <span>{t('overview.bySource')}</span>
        </Toggle>
      </td>
      <td class="number phone-minor conversions">{formatNumber(conversions)}</td>
      <td class="number visitors">{formatNumber(visitors)}</td>
      <td class="number conversionRate">{formatPercent(conversionRate)}</td>
      <td class="number phone-minor value">
        {money === null || (value === null && money === 0) ? '–' : formatMoney(money, currency)}
      </td>
    </tr>
  );
};
