/** The site's segments, beside its filters: choosing one, and saving the filters under a name. */
import { useState } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Popover } from '../parts/popover.tsx';
import { filterGroups, filterQuery, isFilteredTo, toggledValue, withFilter, withoutFilters } from '../question.ts';
import { t } from '../texts/text.ts';

const SavedList = lazy(async () => (await import('../overlays.ts')).SavedList);

const kind = { field: 'segment', operator: 'is', negated: false } as const;

export const Segments = () => {
  const { search } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const groups = filterGroups(search);
  const hasSegment = groups.some(group => group.kind.field === 'segment');
  const text = groups.length === 0 || hasSegment ? null : filterQuery(search);
  return (
    <Popover
      isOpen={isOpen}
      setOpen={setOpen}
      label={t('segments.title')}
      buttonClass="button quiet"
      button={t('segments.title')}
    >
      <SavedList
        kind="segment"
        current={text}
        hint={hasSegment ? t('segments.nested') : t('segments.hint')}
        isChosen={name => isFilteredTo(search, 'segment', name)}
        // What was just saved takes the place of its filters.
        chosen={(name, filters) =>
          filters === text ? withFilter(withoutFilters(search), kind, name) : toggledValue(search, 'segment', name)
        }
        without={name => toggledValue(search, 'segment', name)}
        renamed={(name, newName) => withFilter(toggledValue(search, 'segment', name), kind, newName)}
        onDone={() => setOpen(false)}
      />
    </Popover>
  );
};
