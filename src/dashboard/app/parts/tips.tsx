/**
 * Explanations that appear where something is pointed at or has the focus. One tip for the whole page: any element says what it is with
 * `data-tip`, and is described by it for as long as it shows. Escape hides it, as WCAG 1.4.13 asks.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const id = 'tip';
const gapPx = 6;
const marginPx = 8;

export const Tips = () => {
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => watchTips(tip.current!), []);
  return <div id={id} class="tip" role="tooltip" popover="manual" ref={tip} />;
};

const watchTips = (tip: HTMLDivElement): (() => void) => {
  let target: Element | null = null;

  const hide = (): void => {
    if (target === null) return;
    target.removeAttribute('aria-describedby');
    target = null;
    tip.hidePopover();
  };
  const show = (next: Element): void => {
    if (next === target) return;
    hide();
    target = next;
    tip.textContent = next.getAttribute('data-tip');
    next.setAttribute('aria-describedby', id);
    tip.showPopover();
    place(tip, next.getBoundingClientRect());
  };
  const onPoint = (event: Event): void => {
    const found = event.target instanceof Element ? event.target.closest('[data-tip]') : null;
    if (found !== null) show(found);
    else if (!(event.target instanceof Node && tip.contains(event.target))) hide();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') hide();
  };

  const events = ['pointerover', 'focusin', 'click'] as const;
  for (const name of events) document.addEventListener(name, onPoint);
  document.addEventListener('keydown', onKey);
  addEventListener('scroll', hide, true);
  return () => {
    for (const name of events) document.removeEventListener(name, onPoint);
    document.removeEventListener('keydown', onKey);
    removeEventListener('scroll', hide, true);
  };
};

/** Above what it explains, below where there is no room, and inside the window in any case. */
const place = (tip: HTMLElement, { left, width, top, bottom }: DOMRect): void => {
  const size = tip.getBoundingClientRect();
  const x = Math.min(left + width / 2 - size.width / 2, innerWidth - size.width - marginPx);
  const above = top - size.height - gapPx;
  tip.style.left = `${Math.max(x, marginPx)}px`;
  tip.style.top = `${above >= marginPx ? above : bottom + gapPx}px`;
};

/** Words that explain themselves. A button, so that the keyboard and a finger reach it too. */
export const Explain = ({ tip, children }: { tip: string; children: ComponentChildren }) => (
  <button type="button" class="explain" data-tip={tip}>
    {children}
  </button>
);
