/** Adds a filter, or values to one. Suggestions are fetched as somebody types. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
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
import { formatNumber } from '../format.ts';
import {
  type FilterSubject,
  fieldLabel,
  filterSubjects,
  isOfCodes,
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
  /** The first suggestion. */
  const [top, setTop] = useState<string | null>(null);
  const kind = chosen;
  // Nobody types codes: the name that fits best is meant.
  const isNamed = kind !== null && kind.operator === 'is' && isOfCodes(kind.field);
  const value = kind === null ? '' : isNamed ? (top ?? '') : storedText(kind.field, text);
  const canAdd = kind !== null && text !== '' && value !== '' && isValueFor(kind, value);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="filter-form"
        onSubmit={event => {
          event.preventDefault();
          if (canAdd) onChoose(kind, value);
        }}
      >
        {group === null ? <KindFields fields={fields} onChange={setChosen} /> : <Values group={group} />}
        <label>
          {group === null ? t('filter.value') : t('filter.another')}
          <span class="filter-value">
            <input
              type="text"
              autocomplete="off"
              spellcheck={false}
              autofocus
              value={text}
              onInput={event => setText(event.currentTarget.value)}
            />
            <button type="submit" class="button primary" disabled={!canAdd}>
              {submit}
            </button>
          </span>
        </label>
        {kind !== null && (dimensionNames as string[]).includes(kind.field) && (
          <Suggestions
            field={kind.field as DimensionName}
            text={text}
            onTop={setTop}
            onChoose={value => onChoose(kind, value)}
          />
        )}
      </form>
    </Dialog>
  );
};

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
          <Choice label={t('filter.selects')} value={subject} onChange={value => setSubject(value as FilterSubject)}>
            {filterSubjects.map(name => [name, t(`subject.${name}`)])}
          </Choice>
        )}
        <Choice label={t('filter.field')} value={field} onChange={value => setField(value as FilterField)}>
          {choices.map(name => [name, fieldLabel(name)])}
        </Choice>
        <Choice label={t('filter.operator')} value={row.symbol} onChange={setSymbol}>
          {rows.map(one => [one.symbol, operatorLabel(one, subject)])}
        </Choice>
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

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: readonly (readonly [value: string, label: string])[];
}

const Choice = ({ label, value, onChange, children }: ChoiceProps) => (
  <label>
    {label}
    <select value={value} onChange={event => onChange(event.currentTarget.value)}>
      {children.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

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

interface SuggestionsProps {
  field: DimensionName;
  text: string;
  /** Told the first of them; null where there is none. */
  onTop: (value: string | null) => void;
  onChoose: (value: string) => void;
}

const Suggestions = ({ field, text, onTop, onChoose }: SuggestionsProps) => {
  const { search } = useAddress();
  const typed = useSettled(text);

  // People type names, which the server does not know, so all codes are fetched.
  const isCoded = isOfCodes(field);
  // The field's values under all filters but those on the field itself.
  const own = filterGroups(search).filter(({ kind }) => kind.field === field);
  const asked = own.reduce((left, { kind }) => withoutFilter(left, kind), askedSearch(search));
  if (typed !== '' && !isCoded) asked.set(`${field}*`, storedText(field, typed));
  const { data } = useBreakdownOf(asked, field, isCoded ? breakdownLimitMax : suggestionsMax);

  const rows = (data?.data ?? [])
    .map(row => ({ ...row, label: valueLabel(field, row.name) }))
    .filter(row => `${row.label} ${row.name}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, suggestionsMax);
  const top = rows[0]?.name ?? null;
  // Before the next key.
  useLayoutEffect(() => onTop(top), [top, onTop]);
  return (
    <ul class="suggestions" aria-label={t('filter.suggestions')}>
      {rows.map(row => (
        <li key={row.name}>
          <button type="button" onClick={() => onChoose(row.name)}>
            <span>{row.label}</span>
            <span class="number">{formatNumber(row.value)}</span>
          </button>
        </li>
      ))}
      {data !== undefined && rows.length === 0 && <li class="hint">{t('filter.noMatches')}</li>}
    </ul>
  );
};
