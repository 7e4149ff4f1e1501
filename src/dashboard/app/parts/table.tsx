/** The one table: each column says its head and its cells, so that they cannot differ. */
import type { ComponentChildren } from 'preact';

export interface TableColumn<Row> {
  name: string;
  head: ComponentChildren;
  /** Of its head and its cells: `number` at the end, `phone-minor` where it may go. */
  class?: string | undefined;
  /** The cells name their rows. */
  isName?: boolean;
  /** In which order the rows are, where they are ordered by it. */
  sorted?: 'ascending' | 'descending' | undefined;
  cell(row: Row): ComponentChildren;
}

interface TableProps<Row> {
  /** `table` for lines of text, `rows` for bars. */
  class?: string;
  label?: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  keyOf(row: Row, place: number): string | number;
  /** Attributes of a row. */
  rowOf?(row: Row): { class?: string | undefined; 'data-tip'?: string | undefined };
  /** What opens below a row, over all columns; null for nothing. */
  below?(row: Row): ComponentChildren;
}

export const Table = <Row,>({
  class: own = 'table',
  label,
  columns,
  rows,
  keyOf,
  rowOf = () => ({}),
  below = () => null,
}: TableProps<Row>) => (
  <table class={own} aria-label={label}>
    <thead>
      <tr>
        {columns.map(column => (
          <th key={column.name} scope="col" class={column.class} aria-sort={column.sorted}>
            {column.head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.flatMap((row, i) => {
        const key = keyOf(row, i);
        const opened = below(row);
        return [
          <tr key={key} {...rowOf(row)}>
            {columns.map(column =>
              column.isName ? (
                <th key={column.name} scope="row" class={column.class}>
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.name} class={column.class}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>,
          ...(opened === null ? [] : [<Below key={`${key} below`} span={columns.length} content={opened} />]),
        ];
      })}
    </tbody>
  </table>
);

const Below = ({ span, content }: { span: number; content: ComponentChildren }) => (
  <tr class="below">
    <td colSpan={span}>{content}</td>
  </tr>
);

interface BarNameProps {
  /** How long the bar is, from 0 to 1. */
  part: number;
  /** Where a click leads; nowhere without it. */
  href?: string | undefined;
  isChosen?: boolean;
  /** The whole name, where it may be cut off. */
  title?: string | undefined;
  tip?: string | undefined;
  label?: string | undefined;
  children: ComponentChildren;
}

/** The name of a row above a bar that is as long as its part of the largest. */
export const BarName = ({ part, href, isChosen = false, title, tip, label, children }: BarNameProps) => (
  <>
    <span class="row-bar" style={{ width: `${part * 100}%` }} />
    {href === undefined ? (
      <span class="row-link">{children}</span>
    ) : (
      <a
        class="row-link"
        href={href}
        title={title}
        data-tip={tip}
        data-label={label}
        aria-current={isChosen ? 'true' : undefined}
      >
        {children}
      </a>
    )}
  </>
);

/** What bars are parts of. */
export const mostOf = (values: readonly (number | null)[]): number => Math.max(...values.map(value => value ?? 0), 1);
