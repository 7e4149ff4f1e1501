/** The goals of a site: adding one by a plain choice, with a look at the last 30 days, changing and removing. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DefinitionLists, RemoveDefinition, SaveDefinition, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import type { Goals } from '../answers.ts';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Field, type Submit, useSubmit } from '../form/form.tsx';
import { formatCount, formatMoney, formatNumber } from '../format.ts';
import { useBreakdownOf } from '../overview/rows.tsx';
import { Answered } from '../parts/states.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { conditionsOf as alternativesOf, conditionWords } from '../steps/conditions.ts';
import { useAnswer } from '../use-answer.ts';
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
  const { hash } = useAddress();
  const place = useRef<HTMLDivElement>(null);
  // The overview leads here, before this page is there.
  useEffect(() => {
    if (hash === '#goals') place.current?.scrollIntoView();
  }, [hash]);
  const onSaved = (): void => {
    setChanged(null);
    answer.retry();
  };
  return (
    <div ref={place}>
      <Section
        title="Goals"
        note="What visitors should do. The overview shows how often each goal is reached, in the past too."
      >
        <Answered answer={answer}>
          {({ goals }) =>
            goals.length === 0 ? (
              <p class="hint">No goals yet.</p>
            ) : (
              <GoalTable {...{ goals, site }} onChange={setChanged} onRemoved={onSaved} />
            )
          }
        </Answered>
        <GoalForm
          key={changed?.name ?? ''}
          site={site}
          changed={changed}
          onSaved={onSaved}
          onCancel={() => setChanged(null)}
        />
      </Section>
    </div>
  );
};

interface GoalTableProps {
  goals: readonly SavedGoal[];
  site: SiteView;
  onChange: (goal: SavedGoal) => void;
  onRemoved: () => void;
}

const GoalTable = ({ goals, ...rest }: GoalTableProps) => (
  <div class="table-scroll">
    <table class="table keys">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Reached by</th>
          <th scope="col">Value</th>
          <th scope="col">
            <span class="unseen">Change or remove</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {goals.map(goal => (
          <GoalRow key={goal.name} goal={goal} {...rest} />
        ))}
      </tbody>
    </table>
  </div>
);

const GoalRow = ({ goal, site, onChange, onRemoved }: Omit<GoalTableProps, 'goals'> & { goal: SavedGoal }) => {
  const { client } = useApp();
  const { name, conditions, value } = goal;
  const form = useSubmit(async () => {
    const body: RemoveDefinition = { kind: 'goal', name };
    await client.post(`/app/sites/${site.id}/definitions/remove`, body);
    client.forget();
    onRemoved();
  });
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{goalWords(conditions)}</td>
      <td>{value === null ? '–' : formatMoney(value, site.currency)}</td>
      <td class="number">
        <button type="button" class="button" aria-label={`Change ${name}`} onClick={() => onChange(goal)}>
          Change
        </button>{' '}
        <AskedButton form={form} label="Remove" name={`Remove ${name}`} action={`Remove ${name} now`} />
      </td>
    </tr>
  );
};

/** `Event Signup or Page starts with /thanks` */
const goalWords = (conditions: string): string =>
  alternativesOf(conditions)
    .map(conditionWords)
    .map(({ kind, name }) => `${kind} ${name}`)
    .join(' or ');

interface GoalFormProps {
  site: SiteView;
  /** Null for a new one. */
  changed: SavedGoal | null;
  onSaved: () => void;
  onCancel: () => void;
}

const GoalForm = ({ site, changed, onSaved, onCancel }: GoalFormProps) => {
  const { client } = useApp();
  const [name, setName] = useState(changed?.name ?? '');
  const [draft, setDraft] = useState(changed === null ? emptyDraft : draftOf(changed.conditions));
  const [value, setValue] = useState(majorUnits(changed?.value ?? null, site.currency));
  const [done, setDone] = useState<string | null>(null);
  const conditions = conditionsOf(draft);
  const form = useSubmit(async () => {
    setDone(null);
    const minor = minorUnits(value, site.currency);
    if (minor === undefined)
      throw new RequestFailed(400, { error: 'A value is an amount such as 49.00.', field: 'value' });
    const saved: SaveDefinition = {
      kind: 'goal',
      name: changed?.name ?? name,
      newName: name,
      conditions: conditions ?? '',
      value: minor,
    };
    await client.post(`/app/sites/${site.id}/definitions`, saved);
    client.forget();
    setName('');
    setDraft(emptyDraft);
    setValue('');
    setDone('Saved.');
    onSaved();
  });
  return (
    <form class="form" aria-label={changed === null ? 'New goal' : `Change ${changed.name}`} onSubmit={form.submit}>
      <h3>{changed === null ? 'New goal' : `Change ${changed.name}`}</h3>
      <Field
        label="Name"
        name="name"
        autocomplete="off"
        required
        value={name}
        onValue={setName}
        form={form}
        autofocus={changed !== null}
      />
      <DraftFields draft={draft} setDraft={setDraft} form={form} />
      <Preview site={site} conditions={conditions} />
      <Field
        label={`Value of a conversion in ${site.currency}`}
        name="value"
        autocomplete="off"
        value={value}
        onValue={setValue}
        form={form}
        note="Leave it empty if it has none."
      />
      <Actions form={form} label={changed === null ? 'Add the goal' : 'Save'} done={done}>
        {changed !== null && (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </Actions>
    </form>
  );
};

interface DraftFieldsProps {
  draft: GoalDraft;
  setDraft: (draft: GoalDraft) => void;
  form: Submit;
}

const labels: Record<GoalKind, { label: string; note?: string }> = {
  event: { label: 'Name of the event' },
  page: { label: 'Path' },
  scroll: { label: 'At least this percentage of the page' },
  time: { label: 'At least this many seconds' },
  other: {
    label: 'Conditions',
    note: 'Filters as in an address, such as event=Signup&country=DE, with | between alternatives',
  },
};

const DraftFields = ({ draft, setDraft, form }: DraftFieldsProps) => {
  const { kind, match, text, path } = draft;
  const names = useNames(kind === 'event' ? 'event' : 'path');
  return (
    <>
      <label class="field">
        Reached by
        <select
          value={kind}
          onChange={event => setDraft({ ...emptyDraft, kind: event.currentTarget.value as GoalKind })}
        >
          {Object.entries(goalKinds).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {kind === 'page' && (
        <label class="field">
          The path
          <select
            value={match}
            onChange={event => setDraft({ ...draft, match: event.currentTarget.value as PageMatch })}
          >
            {Object.entries(pageMatches).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
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
        {...labels[kind]}
        {...(['event', 'page'].includes(kind) && { options: names })}
        value={text}
        onValue={next => setDraft({ ...draft, text: next })}
        form={form}
      />
      {kind === 'scroll' && (
        <Field
          label="Path"
          name="path"
          autocomplete="off"
          options={names}
          value={path}
          onValue={next => setDraft({ ...draft, path: next })}
          form={form}
          note="Leave it empty for every page."
        />
      )}
    </>
  );
};

const namesMax = 50;
const previewRange = 'range=30d';

/** What there is to choose from. */
const useNames = (dimension: 'event' | 'path'): string[] =>
  useBreakdownOf(new URLSearchParams(previewRange), dimension, namesMax).data?.data.map(({ name }) => name) ?? [];

/** How often the goal would have been reached. */
const Preview = ({ site, conditions }: { site: SiteView; conditions: string | null }) => {
  const settled = useSettled(conditions ?? '');
  const asked = `${previewRange}&conditions=${encodeURIComponent(settled)}`;
  const { data, error } = useAnswer<Goals>(settled === '' ? null : `/api/ext/sites/${site.id}/goals?${asked}`);
  const goal = data?.data[0];
  if (settled === '' || goal === undefined || error !== undefined) return <p class="hint" role="status" />;
  return (
    <p class="hint" role="status">
      {goal.conversions === 0
        ? 'Nobody has reached it in the last 30 days.'
        : `Reached ${goal.conversions === 1 ? 'once' : `${formatNumber(goal.conversions)} times`} by ${formatCount(goal.visitors, 'visitor')} in the last 30 days.`}
    </p>
  );
};
