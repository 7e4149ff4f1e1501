/** The one way to add to a list: a button, and the form in a dialog above the page. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';

interface AddButtonProps {
  label: string;
  /** Whether the form stands open when the page comes. */
  isOpen?: boolean;
  onClosed?: () => void;
  /** The form. Once that is done, `closing` closes the dialog before it does something else. */
  children: (closing: Closing) => ComponentChildren;
}

type Closing = <Given extends unknown[]>(then: (...given: Given) => void) => (...given: Given) => void;

export const AddButton = ({ label, isOpen: isOpenFirst = false, onClosed, children }: AddButtonProps) => {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const close = (): void => {
    setOpen(false);
    onClosed?.();
  };
  const closing: Closing =
    then =>
    (...given) => {
      close();
      then(...given);
    };
  return (
    <div class="form-actions">
      <button type="button" class="button primary" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={label} onClose={close}>
          {children(closing)}
        </Dialog>
      )}
    </div>
  );
};
