/**
 * The active filters as chips: each shows field, operator and values, and can be changed and
 * removed.
 */

import { useState } from 'preact/hooks';
import type { FilterGroup } from '../../../model/filters.ts';
import { isValueFor, type OperatorRow, operatorOf, operatorsOf } from '../../../model/filters.ts';
import { useAddress } from '../address.tsx';
import { fieldLabel, operatorChoices, operatorLabel, subjectOf, valuesLabel } from '../names.ts';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { canFilter, changedFilter, filterGroups, withoutFilter, withoutFilters } from '../question.ts';
import { t } from '../texts/text.ts';
import { Segments } from './segments.tsx';

/** Most looks at a site add no filter. */
const FilterEditor = lazy(async () => (await import('../overlays.ts')).FilterEditor);

interface FilterBarProps {
  /** Fields that the page can filter by; null: all. Other filters are shown as having no effect. */
  fields?: readonly string[] | null;
}

export const FilterBar = ({ fields = null }: FilterBarProps) => {
  const { search, href } = useAddress();
  /** The name of the filter that is changed; empty for a new one. */
  const [edited, setEdited] = useState<string | null>(null);
  const groups = filterGroups(search);
  const mayFilter = fields === null || fields.length > 0;
  return (
    <div class="filter-bar">
      {groups.length > 0 && (
        <ul class="chips" aria-label={t('filter.list')}>
          {groups.map(group => (
            <Chip
              key={group.name}
              group={group}
              counts={canFilter(group.kind, fields)}
              onEdit={() => setEdited(group.name)}
            />
          ))}
        </ul>
      )}
      {mayFilter && (
        <button type="button" class="button quiet" data-shortcut="filter" onClick={() => setEdited('')}>
          <Icon name="plus" />
          {t('filter.button')}
        </button>
      )}
      {(fields === null || fields.includes('segment')) && <Segments />}
      {groups.length > 1 && (
        <a class="quiet-link" href={href(withoutFilters(search))}>
          {t('filter.removeAll')}
        </a>
      )}
      {edited !== null && (
        <FilterEditor
          group={groups.find(group => group.name === edited) ?? null}
          fields={fields}
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  );
};

interface ChipProps {
  group: FilterGroup;
  /** Whether the page can filter by it. */
  counts: boolean;
  onEdit: () => void;
}

const Chip = ({ group, counts, onEdit }: ChipProps) => {
  const { search, ask } = useAddress();
  const { kind, values } = group;
  const { field } = kind;
  const subject = subjectOf(kind);
  const label = fieldLabel(field);
  const fits = ({ operator }: OperatorRow): boolean => values.every(value => isValueFor({ ...kind, operator }, value));
  const change = (symbol: string): void => {
    const { operator, negated } = operatorsOf(field).find(row => row.symbol === symbol)!;
    ask(changedFilter(search, kind, { ...kind, operator, negated }));
  };
  return (
    <li class={counts ? 'chip' : 'chip void'} data-tip={counts ? undefined : t('filter.void')}>
      <span class="chip-field">{t(`subject.${subject}.field`, { field: label })}</span>
      <select
        class="chip-operator"
        aria-label={t('filter.operatorOf', { field: label })}
        value={operatorOf(kind).symbol}
        onChange={event => change(event.currentTarget.value)}
      >
        {operatorChoices(field, subject)
          .filter(fits)
          .map(row => (
            <option key={row.symbol} value={row.symbol}>
              {operatorLabel(row, subject)}
            </option>
          ))}
      </select>
      <button
        type="button"
        class="chip-value"
        onClick={onEdit}
        aria-label={t('filter.change', { values: valuesLabel(field, values) })}
      >
        {valuesLabel(field, values)}
      </button>
      <button
        type="button"
        class="chip-remove"
        aria-label={t('filter.remove', { field: label })}
        onClick={() => ask(withoutFilter(search, kind))}
      >
        <Icon name="close" />
      </button>
    </li>
  );
};
