/** What was made just now, to be copied: a secret among it is never shown again. */
import type { ComponentChildren } from 'preact';
import { CopyField } from '../parts/copy.tsx';

interface JustMadeProps {
  text: string;
  label: string;
  lines?: number;
  /** What to do with it. */
  note?: ComponentChildren;
  children?: ComponentChildren;
}

export const JustMade = ({ note, children, ...copied }: JustMadeProps) => (
  <div class="just-made" role="status">
    {note !== undefined && <p>{note}</p>}
    <CopyField {...copied} />
    {children}
  </div>
);
