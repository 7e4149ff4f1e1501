/**
 * A panel below the button that opens it. It gets the focus. Closes on Escape, on a click elsewhere, and when the
 * focus leaves it.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface PopoverProps {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** Name of the panel, for screen readers. */
  label: string;
  button: ComponentChildren;
  buttonClass?: string;
  align?: 'start' | 'end';
  children: ComponentChildren;
}

export const Popover = (props: PopoverProps) => {
  const { isOpen, setOpen, label, button, buttonClass = 'button', align = 'start', children } = props;
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);

  // A layout effect runs before the next key.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const inside = (selector: string) => root.current!.querySelector<HTMLElement>(`.popover-panel ${selector}`);
    (inside('[tabindex="0"]') ?? inside('button'))?.focus();
    const onPointer = (event: PointerEvent): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      opener.current?.focus();
    };
    document.addEventListener('pointerdown', onPointer);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onPointer);
      document.removeEventListener('keydown', onKey);
    };
  }, [isOpen, setOpen]);

  return (
    <div
      ref={root}
      class="popover"
      onFocusOut={event => {
        const next = event.relatedTarget;
        if (isOpen && next instanceof Node && !root.current?.contains(next)) setOpen(false);
      }}
    >
      <button
        ref={opener}
        type="button"
        class={buttonClass}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div class={`popover-panel ${align}`} role="dialog" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  );
};
