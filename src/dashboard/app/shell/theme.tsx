/**
 * Light, dark, or what the system says. This browser keeps the choice; the colours follow from an
 * attribute of the root.
 */
import { useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { t } from '../texts/text.ts';

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const icons = { auto: 'auto', light: 'sun', dark: 'moon' } as const;
/** As theme-first.js reads it, before the first paint. */
const key = 'daybook-theme';

const kept = (): Theme => {
  try {
    return themes.find(theme => theme === localStorage.getItem(key)) ?? 'auto';
  } catch {
    // Storage may be forbidden; then the choice lasts as long as the page.
    return 'auto';
  }
};

const applyTheme = (theme: Theme): void => {
  document.documentElement.dataset.theme = theme;
};

export const ThemeButton = () => {
  const [theme, setTheme] = useState(kept);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
  const turn = (): void => {
    setTheme(next);
    applyTheme(next);
    try {
      localStorage.setItem(key, next);
    } catch {
      // See `kept`.
    }
  };
  return (
    <button
      type="button"
      class="icon-button"
      onClick={turn}
      aria-label={t(`shell.theme.${theme}`)}
      data-tip={t(`shell.theme.${theme}`)}
    >
      <Icon name={icons[theme]} />
    </button>
  );
};
