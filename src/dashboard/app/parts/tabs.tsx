/**
 * Tabs whose choice is in the address: each is a link, so opening it in a new tab and going back
 * work.
 */
import { useState } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { withChoice } from '../question.ts';
import { t } from '../texts/text.ts';
import { Icon } from './icon.tsx';
import { Popover } from './popover.tsx';

interface TabsProps<Name extends string> {
  /** What they choose, for screen readers. */
  label: string;
  choice: `_${string}`;
  tabs: readonly { name: Name; label: string; tip?: string }[];
  /** The first one by default. */
  current: Name;
  /** Choices that are cleared when the tab changes. */
  voids?: readonly `_${string}`[];
  /** The label is shown, too, and the tabs stand on one surface. */
  isShown?: boolean;
  /** So many are shown beside each other; the others are below a button. */
  most?: number;
}

export const Tabs = <Name extends string>(props: TabsProps<Name>) => {
  const { label, choice, tabs, current, voids = [], most = Number.POSITIVE_INFINITY, isShown = false } = props;
  const address = useAddress();
  const [isOpen, setOpen] = useState(false);
  const search = voids.reduce((next, name) => withChoice(next, name, null), address.search);
  const link = ({ name, label: text, tip }: (typeof tabs)[number]) => (
    <a
      key={name}
      href={address.href(withChoice(search, choice, name, tabs[0]!.name))}
      aria-current={name === current ? 'true' : undefined}
      data-tip={tip}
      onClick={() => setOpen(false)}
    >
      {text}
    </a>
  );
  if (tabs.length <= most + 1) {
    const nav = (
      <nav class={isShown ? 'segmented' : 'tabs'} aria-label={label}>
        {tabs.map(link)}
      </nav>
    );
    if (!isShown) return nav;
    return (
      <div class="labelled">
        <span aria-hidden="true">{label}</span>
        {nav}
      </div>
    );
  }
  const isFar = tabs.findIndex(({ name }) => name === current) >= most;
  const shown = tabs.filter(({ name }, i) => (isFar ? i < most - 1 || name === current : i < most));
  return (
    <nav class="tabs few" aria-label={label}>
      {shown.map(link)}
      <Popover
        isOpen={isOpen}
        setOpen={setOpen}
        label={label}
        align="end"
        buttonClass="tabs-more"
        button={
          <>
            {t('overview.more')}
            <Icon name="down" />
          </>
        }
      >
        <div class="tabs-list" tabIndex={-1}>
          {tabs.filter(tab => !shown.includes(tab)).map(link)}
        </div>
      </Popover>
    </nav>
  );
};

/** The tab that the address names, or the first. */
export const chosenTab = <Name extends string>(
  search: URLSearchParams,
  choice: `_${string}`,
  names: readonly Name[],
): Name => names.find(name => name === search.get(choice)) ?? names[0]!;
