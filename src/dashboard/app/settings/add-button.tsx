/** The one way to add to a list: a button, and the form in a dialog above the page. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';

interface AddButtonProps {
  label: string;
  /** Whether the form stands open when the page comes. */
  isOpen?: boolean;
  /** The form, which says when it is done. */
  children: (close: () => void) => ComponentChildren;
}

export const AddButton = ({ label, isOpen: isOpenFirst = false, children }: AddButtonProps) => {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const close = (): void => setOpen(false);
  return (
    <div class="form-actions">
      <button type="button" class="button primary" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={label} onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </div>
  );
};
