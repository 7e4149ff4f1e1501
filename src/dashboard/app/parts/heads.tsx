/** Heads of the columns of a table, which explain what is counted. */
import type { Figure } from '../../../model/figures.ts';
import { useAddress } from '../address.tsx';
import { withChoice } from '../question.ts';
import { type FigureKey, t } from '../texts/text.ts';
import type { TableColumn } from './table.tsx';
import { Explain } from './tips.tsx';

type Head = Pick<TableColumn<never>, 'head' | 'class' | 'sorted'>;

/** Of a column of numbers; `own` stands beside its class. */
export const numberHead = (figure: FigureKey | Figure, own?: string): Head => {
  const { label, meaning } = figureText(figure);
  return {
    head: <Explain tip={meaning}>{label}</Explain>,
    class: own === undefined ? 'number' : `number ${own}`,
  };
};

export const figureText = (figure: FigureKey | Figure): Figure =>
  typeof figure === 'string' ? { label: t(figure), meaning: t(`${figure}.meaning`) } : figure;

interface SortLinkProps {
  figure: FigureKey | Figure;
  /** What the column is called in the address; its default leaves no trace there. */
  sort: string;
  sortDefault: string;
  isSorted: boolean;
}

const isDescending = (search: URLSearchParams): boolean => search.get('_dir') !== 'asc';

/** Of a column that the rows can be sorted by. */
export const sortHead = (
  search: URLSearchParams,
  { class: own, ...link }: SortLinkProps & { class: string | undefined },
): Head => ({
  head: <SortLink {...link} />,
  class: own,
  sorted: link.isSorted ? (isDescending(search) ? 'descending' : 'ascending') : undefined,
});

/** A click sorts by the column, and another turns the order. */
const SortLink = ({ figure, sort, sortDefault, isSorted }: SortLinkProps) => {
  const { label, meaning } = figureText(figure);
  const { search, href } = useAddress();
  const isDown = isDescending(search);
  const turned = isSorted && isDown ? 'asc' : 'desc';
  const next = withChoice(withChoice(search, '_sort', sort, sortDefault), '_dir', turned, 'desc');
  return (
    <a class={isSorted ? 'sort sorted' : 'sort'} href={href(next)} data-tip={t('common.sortTip', { meaning })}>
      {label}
      {isSorted && <span aria-hidden="true">{isDown ? ' ↓' : ' ↑'}</span>}
    </a>
  );
};
