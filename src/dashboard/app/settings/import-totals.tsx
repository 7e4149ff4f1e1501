/** What the source of an import counts beside what Daybook counts. */
import type { ImportTotals } from '../../wire.ts';
import { formatNumber } from '../format.ts';
import { noValue } from '../metric-text.ts';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';

const totalNames = ['visitors', 'visits', 'pageviews', 'events'] as const satisfies (keyof ImportTotals)[];

interface TotalsProps {
  name: string;
  source: ImportTotals;
  counted: ImportTotals;
}

export const Totals = ({ name, source, counted }: TotalsProps) => {
  const columns: TableColumn<(typeof totalNames)[number]>[] = [
    { name: 'total', head: t('settings.imports.total'), isName: true, cell: total => t(`settings.imports.${total}`) },
    { name: 'source', head: t('settings.imports.source'), class: 'number', cell: total => shown(source[total]) },
    { name: 'counted', head: 'Daybook', class: 'number', cell: total => shown(counted[total]) },
  ];
  const label = t('settings.imports.totals', { file: name });
  return <Table label={label} columns={columns} rows={totalNames} keyOf={total => total} />;
};

const shown = (count: number | null): string => (count === null ? noValue : formatNumber(count));
