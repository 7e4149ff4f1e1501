/** Which rows of a table are a site's, where it may hold those of several. */
import type { SiteColumn } from '../compat/import-format.ts';
import { type Row, RowProblem } from '../compat/import-rows.ts';
import type { Site } from '../model/site.ts';

/**
 * Those that name the site, where it has a name of that kind. Else all rows must name the same.
 * `first` is what the first row of the table names. The function throws RowProblem.
 */
export const siteRows = (site: Site, column: SiteColumn | undefined, first: string): ((row: Row) => boolean) => {
  if (column === undefined) return () => true;
  const { name, isAlias } = column;
  // Rows without a name are the site's own.
  const names = new Set(['', site.uuid, ...site.aliases].map(one => one.toLowerCase()));
  const isNamed = names.has(first.toLowerCase()) || site.aliases.some(alias => isAlias?.test(alias));
  if (isNamed) return row => names.has(row.text(name).toLowerCase());
  return row => {
    const named = row.text(name);
    if (named === first) return true;
    const help =
      isAlias === null
        ? 'export one of them'
        : `name the one that is meant with daybook site set ${site.domain} --alias ${named}`;
    throw new RowProblem(name, `there are several sites: ${help}`);
  };
};
