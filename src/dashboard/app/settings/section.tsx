/** A section of a settings page: title and note on the left, the form on the right. */
import type { ComponentChildren } from 'preact';

interface SectionProps {
  title: string;
  note?: ComponentChildren;
  /** Says something else than the page's title, so that it stays where it is alone. */
  isOther?: boolean;
  children: ComponentChildren;
}

export const Section = ({ title, note, isOther = false, children }: SectionProps) => (
  <section class={isOther ? 'settings-section other' : 'settings-section'} aria-label={title}>
    <header>
      <h2>{title}</h2>
      {note !== undefined && <p class="hint">{note}</p>}
    </header>
    <div>{children}</div>
  </section>
);
