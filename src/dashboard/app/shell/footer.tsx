/** The bottom of every page: where the map's knowledge is from, the keys, and the tip of whatever is pointed at. */
import { Tips } from '../parts/tips.tsx';
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
    <Tips />
  </footer>
);
