/** What the source of an import counts beside what Daybook counts. */
import type { ImportCountsView } from '../../wire.ts';
import { formatNumber } from '../format.ts';
import { t } from '../texts/text.ts';

const totalNames = ['visitors', 'visits', 'pageviews', 'events'] as const satisfies (keyof ImportCountsView)[];

export const Totals = ({
  name,
  source,
  counted,
}: {
  name: string;
  source: ImportCountsView;
  counted: ImportCountsView;
}) => (
  <table class="table" aria-label={t('settings.imports.totals', { file: name })}>
    <thead>
      <tr>
        <th scope="col">{t('settings.imports.total')}</th>
        <th scope="col" class="number">
          {t('settings.imports.source')}
        </th>
        <th scope="col" class="number">
          Daybook
        </th>
      </tr>
    </thead>
    <tbody>
      {totalNames.map(total => (
        <tr key={total}>
          <th scope="row">{t(`settings.imports.${total}`)}</th>
          <td class="number">{shown(source[total])}</td>
          <td class="number">{shown(counted[total])}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const shown = (count: number | null): string => (count === null ? '–' : formatNumber(count));
