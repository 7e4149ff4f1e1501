/**
 * The active filters as chips: each shows field, operator and values, and can be changed and
 * removed.
 */
import { useState } from 'preact/hooks';
import { filterOperators } from '../../../model/filters.ts';
import { useAddress } from '../address.tsx';
import { fieldLabel, valuesLabel } from '../names.ts';
import { Icon } from '../parts/icon.tsx';
import { type FilterGroup, filterGroups, renamedFilter, withoutFilter, withoutFilters } from '../question.ts';
import { FilterEditor } from './filter-editor.tsx';

interface FilterBarProps {
  /** Fields that the page can filter by; null: all. Other filters are shown as having no effect. */
  fields?: readonly string[] | null;
}

export const FilterBar = ({ fields = null }: FilterBarProps) => {
  const { search, href } = useAddress();
  /** The name of the filter that is changed; empty for a new one. */
  const [edited, setEdited] = useState<string | null>(null);
  const groups = filterGroups(search);
  const canFilter = fields === null || fields.length > 0;
  return (
    <div class="filter-bar">
      {groups.length > 0 && (
        <ul class="chips" aria-label="Filters">
          {groups.map(group => (
            <Chip
              key={group.name}
              group={group}
              counts={fields === null || fields.includes(group.field)}
              onEdit={() => setEdited(group.name)}
            />
          ))}
        </ul>
      )}
      {canFilter && (
        <button type="button" class="button quiet" data-shortcut="filter" onClick={() => setEdited('')}>
          <Icon name="plus" />
          Filter
        </button>
      )}
      {groups.length > 1 && (
        <a class="quiet-link" href={href(withoutFilters(search))}>
          Remove all
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
  const { name, field, suffix, values } = group;
  const label = fieldLabel(field);
  return (
    <li class={counts ? 'chip' : 'chip void'} data-tip={counts ? undefined : 'This filter has no effect on this page'}>
      <span class="chip-field">{label}</span>
      <select
        class="chip-operator"
        aria-label={`Operator of the filter on ${label}`}
        value={suffix}
        onChange={event => ask(renamedFilter(search, name, field + event.currentTarget.value))}
      >
        {filterOperators.map(row => (
          <option key={row.suffix} value={row.suffix}>
            {row.label}
          </option>
        ))}
      </select>
      <button type="button" class="chip-value" onClick={onEdit} aria-label={`Change ${valuesLabel(field, values)}`}>
        {valuesLabel(field, values)}
      </button>
      <button
        type="button"
        class="chip-remove"
        aria-label={`Remove the filter on ${label}`}
        onClick={() => ask(withoutFilter(search, name))}
      >
        <Icon name="close" />
      </button>
    </li>
  );
};
