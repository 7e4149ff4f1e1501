/** Heads of the columns of a table, which explain what is counted. */
import type { Figure } from '../../../model/figures.ts';
import { useAddress } from '../address.tsx';
import { withChoice } from '../question.ts';
import { type FigureKey, t } from '../texts/text.ts';
import { Explain } from './tips.tsx';

/** `class` stands beside that of numbers. */
export const NumberHead = ({ figure, class: own }: { figure: FigureKey | Figure; class?: string | undefined }) => {
  const { label, meaning } = figureText(figure);
  return (
    <th scope="col" class={own === undefined ? 'number' : `number ${own}`}>
      <Explain tip={meaning}>{label}</Explain>
    </th>
  );
};

export const figureText = (figure: FigureKey | Figure): Figure =>
  typeof figure === 'string' ? { label: t(figure), meaning: t(`${figure}.meaning`) } : figure;

interface SortHeadProps {
  figure: FigureKey | Figure;
  class: string;
  /** What the column is called in the address; its default leaves no trace there. */
  sort: string;
  sortDefault: string;
  isSorted: boolean;
}

/** A click sorts by the column, and another turns the order. */
export const SortHead = ({ figure, class: own, sort, sortDefault, isSorted }: SortHeadProps) => {
  const { label, meaning } = figureText(figure);
  const { search, href } = useAddress();
  const isDescending = search.get('_dir') !== 'asc';
  const turned = isSorted && isDescending ? 'asc' : 'desc';
  const next = withChoice(withChoice(search, '_sort', sort, sortDefault), '_dir', turned, 'desc');
  return (
    <th scope="col" class={own} aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}>
      <a class={isSorted ? 'sort sorted' : 'sort'} href={href(next)} data-tip={t('common.sortTip', { meaning })}>
        {label}
        {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
      </a>
    </th>
  );
};
