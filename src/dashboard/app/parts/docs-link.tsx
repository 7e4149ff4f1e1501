/** Leads to what the documents say, in English; the server itself has them under /docs. */
import { t } from '../texts/text.ts';
import { Icon } from './icon.tsx';

export const DocsLink = ({ href }: { href: string }) => (
  <a class="docs-link" href={href} hrefLang="en">
    <Icon name="book" />
    {t('shell.docs')}
  </a>
);
