/**
 * Tabs whose choice is in the address: each is a link, so opening it in a new tab and going back
 * work.
 */
import { useAddress } from '../address.tsx';
import { withChoice } from '../question.ts';

interface TabsProps<Name extends string> {
  /** What they choose, for screen readers. */
  label: string;
  choice: `_${string}`;
  tabs: readonly { name: Name; label: string; tip?: string }[];
  /** The first one by default. */
  current: Name;
  /** Choices that are cleared when the tab changes. */
  voids?: readonly `_${string}`[];
}

export const Tabs = <Name extends string>({ label, choice, tabs, current, voids = [] }: TabsProps<Name>) => {
  const address = useAddress();
  const search = voids.reduce((next, name) => withChoice(next, name, null), address.search);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, label: text, tip }) => (
        <a
          key={name}
          href={address.href(withChoice(search, choice, name, tabs[0]!.name))}
          aria-current={name === current ? 'true' : undefined}
          data-tip={tip}
        >
          {text}
        </a>
      ))}
    </nav>
  );
};

/** The tab that the address names, or the first. */
export const chosenTab = <Name extends string>(
  search: URLSearchParams,
  choice: `_${string}`,
  names: readonly Name[],
): Name => names.find(name => name === search.get(choice)) ?? names[0]!;
