/** Adds a filter, or values to one. Suggestions are fetched as somebody types. */
import { useEffect, useId, useLayoutEffect, useState } from 'preact/hooks';
import { type DimensionName, dimensionNames } from '../../../model/dimensions.ts';
import {
  anyPropertyField,
  anyTraitField,
  anyVisitField,
  type FilterField,
  type FilterGroup,
  type FilterKind,
  filterFields,
  isValueFor,
} from '../../../model/filters.ts';
import { breakdownLimitMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import { isFieldShown, useSite } from '../app-context.ts';
import { Choice } from '../form/choice.tsx';
import { formatNumber } from '../format.ts';
import {
  type FilterSubject,
  fieldLabel,
  filterSubjects,
  isNamed,
  operatorChoices,
  operatorLabel,
  storedText,
  valueLabel,
} from '../names.ts';
import { useBreakdownOf } from '../overview/rows.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { askedSearch, filterGroups, withFilter, withoutFilter, withoutValue } from '../question.ts';
import { t } from '../texts/text.ts';

interface FilterEditorProps {
  /** The filter to change; null makes a new one. */
  group: FilterGroup | null;
  /** Fields to choose from; null: all. */
  fields: readonly string[] | null;
  onClose: () => void;
}

export const FilterEditor = ({ group, fields, onClose }: FilterEditorProps) => {
  const { search, ask } = useAddress();
  const add = (kind: FilterKind, value: string): void => {
    ask(withFilter(search, kind, value));
    onClose();
  };
  const title = group === null ? t('filter.add') : t('filter.on', { field: fieldLabel(group.kind.field) });
  return <ConditionDialog {...{ title, group, fields, onClose }} submit={t('filter.apply')} onChoose={add} />;
};

interface ConditionDialogProps extends FilterEditorProps {
  title: string;
  /** What the button says. */
  submit: string;
  onChoose: (kind: FilterKind, value: string) => void;
}

/** Asks for a field, an operator and a value. */
export const ConditionDialog = ({ title, group, fields, submit, onChoose, onClose }: ConditionDialogProps) => {
  const [chosen, setChosen] = useState<FilterKind | null>(group?.kind ?? null);
  const [text, setText] = useState('');
  /** The suggestion that is meant; undefined while they are on their way, null for the text. */
  const [meant, setMeant] = useState<string | null | undefined>(null);
  /** Enter came before the suggestions. */
  const [isEntered, setEntered] = useState(false);
  /** Presses of the arrow keys: down is positive. */
  const [steps, setSteps] = useState(0);
  const field = useId();
  const kind = chosen;
  const isSuggested = kind?.operator === 'is' && (dimensionNames as string[]).includes(kind.field);
  const suggestion = isSuggested ? meant : null;
  const value = kind === null ? '' : (suggestion ?? storedText(kind.field, text));
  const canAdd = kind !== null && (text !== '' || steps > 0) && (suggestion != null || isValueFor(kind, value));
  const enter = (): void => {
    if (canAdd && suggestion !== undefined) onChoose(kind, value);
    setEntered(suggestion === undefined);
  };
  useEffect(() => {
    if (isEntered) enter();
  }, [isEntered, suggestion]);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !isSuggested) return;
    event.preventDefault();
    setSteps(steps + step);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="filter-form"
        aria-busy={isEntered}
        onSubmit={event => {
          event.preventDefault();
          enter();
        }}
      >
        {group === null ? <KindFields fields={fields} onChange={setChosen} /> : <Values group={group} />}
        <ValueField
          {...{ submit, text, canAdd }}
          id={field}
          label={group === null ? t('filter.value') : t('filter.another')}
          isMeant={isSuggested && meant != null}
          onText={next => {
            setText(next);
            setSteps(0);
          }}
          onKey={onKey}
        />
        {kind !== null && (dimensionNames as string[]).includes(kind.field) && (
          <Suggestions
            field={kind.field as DimensionName}
            id={field}
            text={text}
            steps={isSuggested ? steps : null}
            onMeant={setMeant}
            onChoose={value => onChoose(kind, value)}
          />
        )}
      </form>
    </Dialog>
  );
};

interface ValueFieldProps {
  id: string;
  label: string;
  submit: string;
  text: string;
  canAdd: boolean;
  /** One of the suggestions is meant. */
  isMeant: boolean;
  onText: (text: string) => void;
  onKey: (event: KeyboardEvent) => void;
}

const ValueField = ({ id, label, submit, text, canAdd, isMeant, onText, onKey }: ValueFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <span class="filter-value">
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={text}
        aria-describedby={isMeant ? `${id}-meant` : undefined}
        onInput={event => onText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <button type="submit" class="button primary" disabled={!canAdd}>
        {submit}
      </button>
    </span>
  </div>
);

interface KindFieldsProps {
  fields: readonly string[] | null;
  /** Gets null while the name of a property or trait is missing. */
  onChange: (kind: FilterKind | null) => void;
}

/** What a new filter looks at, and how. */
const KindFields = ({ fields, onChange }: KindFieldsProps) => {
  const site = useSite();
  const choices = fieldsToChoose.filter(
    field => (fields === null || fields.includes(field)) && isFieldShown(site, field),
  );
  const [subject, setSubject] = useState<FilterSubject>('hits');
  const [field, setField] = useState<FilterField>(choices[0]!);
  const [key, setKey] = useState('');
  const [symbol, setSymbol] = useState('=');
  const rows = operatorChoices(field, subject);
  // What was chosen for another field or subject stays as far as it can.
  const row = rows.find(one => one.symbol === symbol) ?? rows[0]!;
  const isKeyed = field === anyPropertyField || field === anyTraitField;
  const named = (isKeyed ? `${field.replace('<key>', '')}${key}` : field) as FilterField;
  useEffect(() => {
    const { operator, negated } = row;
    const visit = subject === 'hits' ? {} : { visit: true as const };
    onChange(isKeyed && key === '' ? null : { field: named, operator, negated, ...visit });
  }, [named, row, subject]);
  return (
    <>
      <div class="filter-kind">
        {(fields === null || fields.includes(anyVisitField)) && (
          <Choice
            label={t('filter.selects')}
            value={subject}
            onValue={setSubject}
            options={filterSubjects.map(name => [name, t(`subject.${name}`)])}
          />
        )}
        <Choice
          label={t('filter.field')}
          value={field}
          onValue={setField}
          options={choices.map(name => [name, fieldLabel(name)])}
        />
        <Choice
          label={t('filter.operator')}
          value={row.symbol}
          onValue={setSymbol}
          options={rows.map(one => [one.symbol, operatorLabel(one, subject)])}
        />
      </div>
      {isKeyed && (
        <label>
          {t(field === anyTraitField ? 'filter.trait' : 'filter.property')}
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={key}
            onInput={event => setKey(event.currentTarget.value)}
          />
        </label>
      )}
    </>
  );
};

/** A property is chosen by its name, and not by key and value apart. */
const fieldsToChoose = filterFields.filter(field => !['propKey', 'propValue', anyVisitField].includes(field));

/** The values of the filter, each with a button that removes it. */
const Values = ({ group }: { group: FilterGroup }) => {
  const { search, ask } = useAddress();
  return (
    <ul class="value-list">
      {group.values.map(value => (
        <li key={value}>
          <span>{valueLabel(group.kind.field, value)}</span>
          <button
            type="button"
            class="icon-button"
            aria-label={t('filter.removeValue', { value: valueLabel(group.kind.field, value) })}
            onClick={() => ask(withoutValue(search, group.kind, value))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
};

const suggestionsMax = 8;
/** More, so that a value that is typed as a whole is among them. */
const suggestionsAsked = 100;

interface SuggestionsProps {
  field: DimensionName;
  /** Of the input. */
  id: string;
  text: string;
  /** How far the arrow keys have gone; null where what is typed is meant. */
  steps: number | null;
  /** Told which of them is meant; null for none, and undefined while they are on their way. */
  onMeant: (value: string | null | undefined) => void;
  onChoose: (value: string) => void;
}

const Suggestions = ({ field, id, text, steps, onMeant, onChoose }: SuggestionsProps) => {
  const { search } = useAddress();
  const typed = useSettled(text);

  // People type names, which the server does not know, so all values are fetched.
  const isCoded = isNamed(field, typed);
  // The field's values under all filters but those on the field itself.
  const own = filterGroups(search).filter(({ kind }) => kind.field === field);
  const asked = own.reduce((left, { kind }) => withoutFilter(left, kind), askedSearch(search));
  if (typed !== '' && !isCoded) asked.set(`${field}*`, storedText(field, typed));
  const { data, pending, error } = useBreakdownOf(asked, field, isCoded ? breakdownLimitMax : suggestionsAsked);

  const wanted = text.toLowerCase();
  const isExact = ({ name, label }: { name: string; label: string }): boolean =>
    [name, label].some(each => each.toLowerCase() === wanted);
  const found = (data?.data ?? [])
    .map(row => ({ ...row, label: valueLabel(field, row.name) }))
    .filter(row => `${row.label} ${row.name}`.toLowerCase().includes(wanted));
  const rows = [...found.filter(isExact), ...found.filter(row => !isExact(row))].slice(0, suggestionsMax);
  // Before anything is typed none is meant, and an arrow up from the first means the text itself.
  const place = (text === '' ? -1 : 0) + (steps ?? 0);
  const isLate = typed !== text || (pending && error === undefined);
  const row = steps === null ? undefined : rows[Math.min(place, rows.length - 1)];
  const meant = row === undefined && isLate ? undefined : (row?.name ?? null);
  // Before the next key.
  useLayoutEffect(() => onMeant(meant), [meant, onMeant]);
  return (
    <ul class="suggestions" aria-label={t('filter.suggestions')}>
      {rows.map(row => (
        <li key={row.name} id={row.name === meant ? `${id}-meant` : undefined}>
          <button type="button" class={row.name === meant ? 'meant' : undefined} onClick={() => onChoose(row.name)}>
            <span>{row.label}</span>
            <span class="number">{formatNumber(row.value)}</span>
          </button>
        </li>
      ))}
      {data !== undefined && rows.length === 0 && <li class="hint">{t('filter.noMatches')}</li>}
    </ul>
  );
};
