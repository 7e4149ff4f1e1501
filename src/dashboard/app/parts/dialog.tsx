/**
 * A modal dialog. The browser's own: it keeps the focus inside, closes on Escape, and gives the
 * focus back. A form in it begins at its first field.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../texts/text.ts';
import { Icon } from './icon.tsx';
import { isWaiting } from './is-waiting.ts';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** As wide as its content wants to be, or as the page allows. */
  size?: 'small' | 'large';
  children: ComponentChildren;
}

export const Dialog = ({ title, onClose, size = 'small', children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Where the button of the mouse went down: a selection of text may end beside the dialog. */
  const pressed = useRef<EventTarget | null>(null);
  const close = (): void => {
    if (!isWaiting(dialog.current!)) onClose();
  };
  // A layout effect runs before the next key.
  useLayoutEffect(() => {
    const element = dialog.current!;
    const before = document.activeElement;
    element.showModal();
    if (element.querySelector('[autofocus]') === null)
      element.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus();
    return () => {
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${size}`}
      aria-label={title}
      onCancel={event => {
        event.preventDefault();
        close();
      }}
      // A second Escape closes it though the first was prevented.
      onKeyDown={event => event.key === 'Escape' && isWaiting(event.currentTarget) && event.preventDefault()}
      onMouseDown={event => {
        pressed.current = event.target;
      }}
      onClick={event => {
        if (event.target === dialog.current && pressed.current === dialog.current) close();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2>{title}</h2>
          <button type="button" class="icon-button" aria-label={t('common.close')} onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
};
