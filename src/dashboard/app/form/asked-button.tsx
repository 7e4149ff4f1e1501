/** A button whose work cannot be undone: a second one does it, beside one that cancels. */
import { useState } from 'preact/hooks';
import { t } from '../texts/text.ts';
import type { Submit } from './form.tsx';

interface AskedButtonProps {
  form: Submit;
  label: string;
  /** For screen readers, where the label needs what is around it. */
  name?: string;
  /** What the second button says, in full. */
  action: string;
  /** What follows from it. */
  note?: string;
  danger?: boolean;
  disabled?: boolean;
}

export const AskedButton = ({
  form,
  label,
  name,
  action,
  note,
  danger = false,
  disabled = false,
}: AskedButtonProps) => {
  const [isAsked, setAsked] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    await form.submit(event);
    setAsked(false);
  };
  if (!isAsked) {
    return (
      <button
        type="button"
        class={danger ? 'button danger' : 'button'}
        aria-label={name}
        disabled={disabled}
        onClick={() => setAsked(true)}
      >
        {label}
      </button>
    );
  }
  return (
    <form class="form-actions" onSubmit={submit}>
      {note !== undefined && <p>{note}</p>}
      <button type="submit" class="button danger" aria-disabled={form.isPending} autofocus>
        {action}
      </button>
      <button type="button" class="button" onClick={() => setAsked(false)}>
        {t('common.cancel')}
      </button>
    </form>
  );
};
