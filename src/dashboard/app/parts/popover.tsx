/**
 * A panel below the button that opens it. It gets the focus. Closes on Escape, on a click
 * elsewhere, and when the focus leaves it.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isWaiting } from './is-waiting.ts';

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
  const panel = useRef<HTMLDivElement>(null);

  // A layout effect runs before the next key.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const inside = (selector: string) => root.current!.querySelector<HTMLElement>(`.popover-panel ${selector}`);
    (inside('[tabindex="0"]') ?? inside('button'))?.focus();
    const place = (): void => keepInside(panel.current!);
    place();
    // What is in a panel may come later and make it wider, and the window may get narrower.
    const sizes = new ResizeObserver(place);
    sizes.observe(panel.current!);
    sizes.observe(document.documentElement);
    const onPointer = (event: PointerEvent): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target) && !isWaiting(panel.current!))
        setOpen(false);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || isWaiting(panel.current!)) return;
      setOpen(false);
      opener.current?.focus();
    };
    document.addEventListener('pointerdown', onPointer);
    document.addEventListener('keydown', onKey);
    return () => {
      sizes.disconnect();
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
        if (isOpen && next instanceof Node && !root.current?.contains(next) && !isWaiting(panel.current!))
          setOpen(false);
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
        <div ref={panel} class={`popover-panel ${align}`} role="dialog" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  );
};

/** Pixels between a panel and the edge of the window. */
const edge = 8;

/** Moves a panel that would leave the window. */
const keepInside = (panel: HTMLElement): void => {
  panel.style.translate = 'none';
  const { left, right } = panel.getBoundingClientRect();
  const shift = Math.max(edge - left, Math.min(document.documentElement.clientWidth - edge - right, 0));
  if (shift !== 0) panel.style.translate = `${shift}px`;
};
