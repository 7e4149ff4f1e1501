/** Adds a filter, or values to one. Suggestions are fetched as somebody types. */
import { useEffect, useState } from 'preact/hooks';
import { type DimensionName, dimensionNames } from '../../../model/dimensions.ts';
import { type FilterField, filterFields, filterOperators } from '../../../model/filters.ts';
import { breakdownLimitMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import type { Breakdown } from '../answers.ts';
import { isFieldShown, useSite } from '../app-context.ts';
import { formatNumber } from '../format.ts';
import { fieldLabel, valueLabel } from '../names.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { askedSearch, type FilterGroup, searchText, withFilter, withoutFilter, withoutValue } from '../question.ts';
import { useAnswer } from '../use-answer.ts';

interface FilterEditorProps {
  /** The filter to change; null makes a new one. */
  group: FilterGroup | null;
  /** Fields to choose from; null: all. */
  fields: readonly string[] | null;
  onClose: () => void;
}

export const FilterEditor = ({ group, fields, onClose }: FilterEditorProps) => {
  const { search, ask } = useAddress();
  const site = useSite();
  const choices = filterFields.filter(
    field => (fields === null || fields.includes(field)) && isFieldShown(site, field),
  );
  const [field, setField] = useState<FilterField>(group?.field ?? choices[0]!);
  const [suffix, setSuffix] = useState(group?.suffix ?? '');
  const [text, setText] = useState('');

  const add = (value: string): void => {
    ask(withFilter(search, field + suffix, value));
    onClose();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text !== '') add(text);
  };
  return (
    <Dialog title={group === null ? 'Add a filter' : `Filter on ${fieldLabel(field)}`} onClose={onClose}>
      <form class="filter-form" onSubmit={submit}>
        {group === null && (
          <div class="filter-kind">
            <label>
              Field
              <select value={field} onChange={event => setField(event.currentTarget.value as FilterField)}>
                {choices.map(name => (
                  <option key={name} value={name}>
                    {fieldLabel(name)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Operator
              <select value={suffix} onChange={event => setSuffix(event.currentTarget.value)}>
                {filterOperators.map(row => (
                  <option key={row.suffix} value={row.suffix}>
                    {row.label}
                  </option>
                ))}
              </select>
            </label>
          </div>
        )}
        {group !== null && <Values group={group} />}
        <label>
          {group === null ? 'Value' : 'Another value'}
          <span class="filter-value">
            <input
              type="text"
              autocomplete="off"
              spellcheck={false}
              autofocus
              value={text}
              onInput={event => setText(event.currentTarget.value)}
            />
            <button type="submit" class="button primary" disabled={text === ''}>
              Filter
            </button>
          </span>
        </label>
        {(dimensionNames as string[]).includes(field) && (
          <Suggestions field={field as DimensionName} text={text} onChoose={add} />
        )}
      </form>
    </Dialog>
  );
};

/** The values of the filter, each with a button that removes it. */
const Values = ({ group }: { group: FilterGroup }) => {
  const { search, ask } = useAddress();
  return (
    <ul class="value-list">
      {group.values.map(value => (
        <li key={value}>
          <span>{valueLabel(group.field, value)}</span>
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove ${valueLabel(group.field, value)}`}
            onClick={() => ask(withoutValue(search, group.name, value))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
};

const suggestionsMax = 8;
/**
 * Fields whose values are codes: people type names, which the server does not know, so all values
 * are fetched.
 */
const coded: readonly DimensionName[] = ['country', 'language'];

interface SuggestionsProps {
  field: DimensionName;
  text: string;
  onChoose: (value: string) => void;
}

const Suggestions = ({ field, text, onChoose }: SuggestionsProps) => {
  const { search } = useAddress();
  const { site } = useSite();
  const typed = useSettled(text);

  // The field's values under all filters but those on the field itself.
  let asked = askedSearch(search);
  for (const { suffix } of filterOperators) asked = withoutFilter(asked, field + suffix);
  asked.set('dimension', field);
  asked.set('limit', String(coded.includes(field) ? breakdownLimitMax : suggestionsMax));
  if (typed !== '' && !coded.includes(field)) asked.set(`${field}*`, typed);
  const { data } = useAnswer<Breakdown>(`/api/v1/sites/${site.id}/breakdown${searchText(asked)}`, field);

  const rows = (data?.data ?? [])
    .map(row => ({ ...row, label: valueLabel(field, row.name) }))
    .filter(row => `${row.label} ${row.name}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, suggestionsMax);
  return (
    <ul class="suggestions" aria-label="Suggested values">
      {rows.map(row => (
        <li key={row.name}>
          <button type="button" onClick={() => onChoose(row.name)}>
            <span>{row.label}</span>
            <span class="number">{formatNumber(row.value)}</span>
          </button>
        </li>
      ))}
      {data !== undefined && rows.length === 0 && <li class="hint">No matches in this period.</li>}
    </ul>
  );
};

const settleMs = 150;
/** A text once it has not changed for a moment. */
export const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
};
