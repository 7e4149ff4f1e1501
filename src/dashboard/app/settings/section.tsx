/** A section of a settings page: title and note on the left, the form on the right. */
import type { ComponentChildren } from 'preact';

interface SectionProps {
  title: string;
  note?: ComponentChildren;
  children: ComponentChildren;
}

export const Section = ({ title, note, children }: SectionProps) => (
  <section class="settings-section" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {note !== undefined && <p class="hint">{note}</p>}
    </header>
    <div>{children}</div>
  </section>
);
