/**
 * The bar above the numbers of a site: filters on the left, period and export on the right. It
 * stays in view.
 */
import type { ComponentChildren } from 'preact';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { Icon } from '../parts/icon.tsx';
import { askedSearch, searchText } from '../question.ts';
import { FilterBar } from './filter-bar.tsx';
import { PeriodPicker } from './period-picker.tsx';

interface ControlsProps {
  /** Fields that the page can filter by; null: all. */
  fields?: readonly string[] | null;
  hasPeriod?: boolean;
  /** The page compares with a window of choice. */
  hasComparison?: boolean;
  children?: ComponentChildren;
}

export const Controls = ({ fields = null, hasPeriod = true, hasComparison = false, children }: ControlsProps) => (
  <div class="controls">
    <FilterBar fields={fields} />
    <div class="controls-end">
      {children}
      {hasPeriod && <PeriodPicker hasComparison={hasComparison} />}
    </div>
  </div>
);

interface ExportLinkProps {
  label: string;
  /** Parameters of the export besides the period and the filters. */
  extra?: Readonly<Record<string, string | readonly string[]>>;
}

export const ExportLink = ({ label, extra = {} }: ExportLinkProps) => {
  const { search } = useAddress();
  const { site } = useSite();
  const { share } = useApp();
  const asked = askedSearch(search);
  for (const [name, values] of Object.entries(extra)) for (const value of [values].flat()) asked.append(name, value);
  if (share !== null) asked.set('share', share.token);
  return (
    <a
      class="icon-button"
      href={`/api/export/${site.id}${searchText(asked)}`}
      download
      aria-label={label}
      data-tip={label}
    >
      <Icon name="download" />
    </a>
  );
};
