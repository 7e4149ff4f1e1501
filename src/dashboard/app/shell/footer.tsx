/** The bottom of every page: where the map's knowledge is from, and the keys. */
import { openShortcutHelp } from './shortcuts.tsx';

export const Footer = ({ hasShortcuts = false }: { hasShortcuts?: boolean }) => (
  <footer class="footer">
    <a href="https://db-ip.com" rel="noreferrer">
      IP Geolocation by DB-IP
    </a>
    {hasShortcuts && (
      <button type="button" class="link-button" onClick={openShortcutHelp}>
        Keyboard <kbd>?</kbd>
      </button>
    )}
  </footer>
);
