/** Says that nothing is mailed, where something would be. */
import { rich } from '../texts/text.ts';

export const NoMailServer = () => <p class="notice">{rich('reports.noServer', { setting: <code>SMTP_URL</code> })}</p>;
