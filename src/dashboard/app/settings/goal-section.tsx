/** The goals of a site: add one by a plain choice after a look at 30 days, change, remove. */

import { useState } from 'preact/hooks';
import type { DefinitionLists, RemoveDefinition, SaveDefinition, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { RequestFailed } from '../fetch-json.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Field, NameField, type Submit, useSubmit } from '../form/form.tsx';
import { useIsChanged } from '../form/use-edited.ts';
import { formatAny, formatMoney } from '../format.ts';
import { noValue } from '../metric-text.ts';
import { withGoal } from '../overview/choices.ts';
import { useBreakdownOf } from '../overview/rows.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Answered, SkeletonRows } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { searchText, withChoice } from '../question.ts';
import { pagePath } from '../routes.ts';
import { conditionsOf as alternativesOf, conditionWords } from '../steps/conditions.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { AddButton } from './add-button.tsx';
import {
  conditionsOf,
  draftOf,
  emptyDraft,
  type GoalDraft,
  type GoalKind,
  goalKinds,
  majorUnits,
  minorUnits,
  type PageMatch,
  pageMatches,
} from './goal-draft.ts';
import { Section } from './section.tsx';

type SavedGoal = DefinitionLists['goals'][number];

export const GoalSection = ({ site }: { site: SiteView }) => {
  const answer = useAnswer<DefinitionLists>(`/app/sites/${site.id}/definitions`);
  const [changed, setChanged] = useState<SavedGoal | null>(null);
  const { search, ask, go } = useAddress();
  const { base } = useSite();
  const isFromOverview = search.has('_new');
  const withoutForm = withChoice(search, '_new', null);
  const onSaved = (): void => {
    setChanged(null);
    answer.retry();
  };
  return (
    <Section title={t('settings.goals')} note={t('settings.goals.note')}>
      <Answered answer={answer} waiting={<SkeletonRows count={1} />}>
        {({ goals }) =>
          goals.length === 0 ? (
            <p class="hint">{t('settings.goals.none')}</p>
          ) : (
            <GoalTable {...{ goals, site }} onChange={setChanged} onRemoved={onSaved} />
          )
        }
      </Answered>
      <AddButton
        label={t('settings.goals.new')}
        isOpen={isFromOverview}
        onClosed={() => isFromOverview && ask(withoutForm, { replace: true })}
      >
        {closing => (
          <GoalForm
            site={site}
            changed={null}
            onSaved={name => {
              // Who came from the overview sees there what the goal says, under the same question.
              const overview = withGoal(withChoice(withoutForm, '_section', null), name);
              if (isFromOverview) return go(pagePath(base, '') + searchText(overview), { replace: true });
              closing(onSaved)();
            }}
          />
        )}
      </AddButton>
      {changed !== null && (
        <Dialog title={changed.name} onClose={() => setChanged(null)}>
          <GoalForm site={site} changed={changed} onSaved={onSaved} />
        </Dialog>
      )}
    </Section>
  );
};

interface GoalTableProps {
  goals: readonly SavedGoal[];
  site: SiteView;
  onChange: (goal: SavedGoal) => void;
  onRemoved: () => void;
}

const GoalTable = ({ goals, site, ...actions }: GoalTableProps) => {
  const columns: TableColumn<SavedGoal>[] = [
    { name: 'name', head: t('common.name'), isName: true, cell: ({ name }) => name },
    { name: 'conditions', head: t('settings.goals.reachedBy'), cell: ({ conditions }) => goalWords(conditions) },
    {
      ...{ name: 'value', head: t('settings.goals.value') },
      cell: ({ value }) => (value === null ? noValue : formatMoney(value, site.currency)),
    },
    {
      name: 'actions',
      head: <span class="unseen">{t('settings.goals.changeOrRemove')}</span>,
      class: 'number',
      cell: goal => <GoalActions {...{ goal, site, ...actions }} />,
    },
  ];
  return (
    <div class="table-scroll">
      <Table class="table keys" columns={columns} rows={goals} keyOf={({ name }) => name} />
    </div>
  );
};

const GoalActions = ({ goal, site, onChange, onRemoved }: Omit<GoalTableProps, 'goals'> & { goal: SavedGoal }) => {
  const { client } = useApp();
  const { name } = goal;
  const form = useSubmit(async () => {
    const body: RemoveDefinition = { kind: 'goal', name };
    await client.post(`/app/sites/${site.id}/definitions/remove`, body);
    client.forget();
    onRemoved();
  });
  return (
    <>
      <button
        type="button"
        class="button"
        aria-label={t('settings.goals.changeNamed', { name })}
        onClick={() => onChange(goal)}
      >
        {t('common.change')}
      </button>{' '}
      <AskedButton
        form={form}
        label={t('common.remove')}
        name={t('settings.goals.removeNamed', { name })}
        action={t('settings.goals.removeNow', { name })}
      />
    </>
  );
};

/** `Event Signup or Page starts with /thanks` */
const goalWords = (conditions: string): string =>
  formatAny(
    alternativesOf(conditions)
      .map(conditionWords)
      .map(({ kind, name }) => `${kind} ${name}`),
  );

interface GoalFormProps {
  site: SiteView;
  /** Null for a new one. */
  changed: SavedGoal | null;
  onSaved: (name: string) => void;
}

const GoalForm = ({ site, changed, onSaved }: GoalFormProps) => {
  const { client } = useApp();
  const [name, setName] = useState(changed?.name ?? '');
  const [draft, setDraft] = useState(changed === null ? emptyDraft : draftOf(changed.conditions));
  const [value, setValue] = useState(majorUnits(changed?.value ?? null, site.currency));
  const conditions = conditionsOf(draft);
  const isChanged = useIsChanged([name, draft, value]);
  const form = useSubmit(async () => {
    const minor = minorUnits(value, site.currency);
    if (minor === undefined) throw new RequestFailed(400, { error: t('settings.goals.badValue'), field: 'value' });
    const saved: SaveDefinition = {
      kind: 'goal',
      name: changed?.name ?? name,
      newName: name,
      conditions: conditions ?? '',
      value: minor,
    };
    await client.post(`/app/sites/${site.id}/definitions`, saved);
    client.forget();
    onSaved(name);
  });
  return (
    <form
      class="form"
      aria-label={changed === null ? t('settings.goals.new') : t('settings.goals.changeNamed', { name: changed.name })}
      onSubmit={form.submit}
    >
      <NameField label={t('common.name')} value={name} onValue={setName} form={form} />
      <DraftFields draft={draft} setDraft={setDraft} form={form} />
      <Preview site={site} conditions={conditions} />
      <Field
        label={t('settings.goals.valueIn', { currency: site.currency })}
        name="value"
        autocomplete="off"
        value={value}
        onValue={setValue}
        form={form}
        note={t('settings.goals.valueIn.note')}
      />
      <Actions
        form={form}
        label={changed === null ? t('settings.goals.add') : t('common.save')}
        disabled={changed !== null && !isChanged}
      />
    </form>
  );
};

interface DraftFieldsProps {
  draft: GoalDraft;
  setDraft: (draft: GoalDraft) => void;
  form: Submit;
}

const DraftFields = ({ draft, setDraft, form }: DraftFieldsProps) => {
  const { kind, match, text, path } = draft;
  const names = useNames(kind === 'event' ? 'event' : 'path');
  return (
    <>
      <label class="field">
        {t('settings.goals.reachedBy')}
        <select
          value={kind}
          onChange={event => setDraft({ ...emptyDraft, kind: event.currentTarget.value as GoalKind })}
        >
          {goalKinds.map(name => (
            <option key={name} value={name}>
              {t(`settings.goals.kind.${name}`)}
            </option>
          ))}
        </select>
      </label>
      {kind === 'page' && (
        <label class="field">
          {t('settings.goals.path')}
          <select
            value={match}
            onChange={event => setDraft({ ...draft, match: event.currentTarget.value as PageMatch })}
          >
            {pageMatches.map(name => (
              <option key={name} value={name}>
                {t(`settings.goals.match.${name}`)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Field
        key={kind}
        name="conditions"
        autocomplete="off"
        required
        label={t(`settings.goals.label.${kind}`)}
        {...(kind === 'other' && { note: t('settings.goals.label.other.note') })}
        {...(['event', 'page'].includes(kind) && { options: names })}
        value={text}
        onValue={next => setDraft({ ...draft, text: next })}
        form={form}
      />
      {kind === 'scroll' && (
        <Field
          label={t('settings.goals.label.page')}
          name="path"
          autocomplete="off"
          options={names}
          value={path}
          onValue={next => setDraft({ ...draft, path: next })}
          form={form}
          note={t('settings.goals.path.note')}
        />
      )}
    </>
  );
};

const namesMax = 50;
const previewRange = { range: '30d' };

/** What there is to choose from. */
const useNames = (dimension: 'event' | 'path'): string[] =>
  useBreakdownOf(new URLSearchParams(previewRange), dimension, namesMax).data?.data.map(({ name }) => name) ?? [];

/** How often the goal would have been reached. */
const Preview = ({ site, conditions }: { site: SiteView; conditions: string | null }) => {
  const settled = useSettled(conditions ?? '');
  const path = askSite(site, 'ext/goals', { ...previewRange, conditions: settled });
  const { data, error } = useAnswer(settled === '' ? null : path);
  const goal = data?.data[0];
  if (settled === '' || goal === undefined || error !== undefined) return <p class="hint" role="status" />;
  return (
    <p class="hint" role="status">
      {goal.conversions === 0
        ? t('settings.goals.never')
        : t('settings.goals.reached', { conversions: goal.conversions, visitors: goal.visitors })}
    </p>
  );
};
