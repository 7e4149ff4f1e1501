/** Keyboard shortcuts. Ignored while somebody types or a dialog is open. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rangeKeys } from '../../../model/ranges.ts';
import { sitePages } from '../../../model/site-pages.ts';
import { useAddress } from '../address.tsx';
import { shownPages, useSite } from '../app-context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { carriedSearch, withoutFilters, withPeriod } from '../question.ts';
import { pageLabel, pagePath } from '../routes.ts';

import { t } from '../texts/text.ts';

interface Shortcut {
  keys: string;
  label: string;
  run: () => void;
}

/** Two keys in a row count as one shortcut within this time. */
const sequenceMs = 1200;

/** Clicks the button of that name, so that every shortcut does what a button does. */
const press = (name: string): void => document.querySelector<HTMLElement>(`[data-shortcut="${name}"]`)?.click();
const focus = (name: string): void => document.querySelector<HTMLElement>(`[data-shortcut="${name}"]`)?.focus();

const useShortcuts = (openHelp: () => void): Shortcut[] => {
  const { search, go, ask } = useAddress();
  const site = useSite();
  const { base } = site;
  const pages = shownPages(site);
  return [
    ...rangeKeys.slice(0, 9).map((range, i) => ({
      keys: String(i + 1),
      label: t(`range.${range}`),
      run: () => ask(withPeriod(search, { range })),
    })),
    { keys: '[', label: t('shell.keys.earlier'), run: () => press('earlier') },
    { keys: ']', label: t('shell.keys.later'), run: () => press('later') },
    { keys: 'c', label: t('shell.keys.dates'), run: () => press('period') },
    { keys: 'f', label: t('shell.keys.filter'), run: () => press('filter') },
    { keys: 'x', label: t('shell.keys.noFilters'), run: () => ask(withoutFilters(search)) },
    { keys: '/', label: t('shell.keys.search'), run: () => focus('search') },
    ...pages.map(page => ({
      keys: `g ${sitePages[page].key}`,
      label: pageLabel(page),
      run: () => go(pagePath(base, page) + carriedSearch(search)),
    })),
    { keys: '?', label: t('shell.keys.list'), run: openHelp },
  ];
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, select, textarea, dialog, .calendar') !== null;

export const Shortcuts = () => {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const shortcuts = useShortcuts(() => setHelpOpen(true));

  const first = useRef({ key: '', at: 0 });

  // In a layout effect, so that the next key meets what is shown now.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const { key, at } = first.current;
      const sequence = event.timeStamp - at < sequenceMs && key !== '' ? `${key} ${event.key}` : event.key;
      const found = shortcuts.find(({ keys }) => keys === sequence);
      first.current = { key: event.key === 'g' ? 'g' : '', at: event.timeStamp };
      if (found === undefined) return;
      event.preventDefault();
      found.run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  return (
    <>
      <button type="button" hidden data-shortcut="help" onClick={() => setHelpOpen(true)} />
      {isHelpOpen && (
        <Dialog title={t('shell.shortcuts')} onClose={() => setHelpOpen(false)}>
          <dl class="shortcut-list">
            {shortcuts.map(({ keys, label }) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map(key => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  );
};

/** Opens the list of keys from elsewhere on the page. */
export const openShortcutHelp = (): void => press('help');
