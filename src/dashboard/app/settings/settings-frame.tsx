/** A page of settings: a list of its sections at the side, and one of them at a time. */
import type { ComponentChildren } from 'preact';
import type { Right } from '../../../model/rights.ts';
import { useAddress } from '../address.tsx';
import { DocsLink } from '../parts/docs-link.tsx';
import { chosenTab } from '../parts/tabs.tsx';
import { withChoice } from '../question.ts';
import { type DocsPlace, docsPath } from '../routes.ts';
import { t } from '../texts/text.ts';

export interface SettingsPart {
  name: string;
  label: string;
  /** What the documents say about it. */
  docs: DocsPlace;
  content: ComponentChildren;
  /** What somebody may not do without it; missing for what all may see. */
  right?: Right;
}

export const SettingsFrame = ({ parts }: { parts: readonly SettingsPart[] }) => {
  const { search, hash, href } = useAddress();
  const names = parts.map(({ name }) => name);
  // Links of before led to a place on the one long page.
  const older = names.find(name => hash === `#${name}`);
  const current = older ?? chosenTab(search, '_section', names);
  const { label, docs, content } = parts.find(({ name }) => name === current)!;
  return (
    <div class="settings">
      <nav class="settings-nav" aria-label={t('settings.sections')}>
        {parts.map(part => (
          <a
            key={part.name}
            href={href(withChoice(search, '_section', part.name, names[0]!))}
            aria-current={part.name === current ? 'page' : undefined}
          >
            {part.label}
          </a>
        ))}
      </nav>
      <div class="settings-part" key={current}>
        <div class="settings-head">
          <h2>{label}</h2>
          <DocsLink href={docsPath(docs)} />
        </div>
        {content}
      </div>
    </div>
  );
};
