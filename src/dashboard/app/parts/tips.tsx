/**
 * Tips: explanations of the element under the pointer or with the focus. The whole page has one
 * tip; an element gives its text in `data-tip`, and is described by it while it shows. Escape hides
 * it, as WCAG 1.4.13 asks.
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
  /** Its tip stays away until something else is pointed at. */
  let dismissed: Element | null = null;

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
    if (found !== dismissed) dismissed = null;
    if (found !== null && found !== dismissed) show(found);
    else if (!(event.target instanceof Node && tip.contains(event.target))) hide();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    dismissed = target ?? dismissed;
    hide();
  };

  // A move shows a tip that has come while the pointer was already there.
  const events = ['pointerover', 'pointermove', 'focusin', 'click'] as const;
  for (const name of events) document.addEventListener(name, onPoint);
  document.addEventListener('keydown', onKey);
  addEventListener('scroll', hide, true);
  return () => {
    for (const name of events) document.removeEventListener(name, onPoint);
    document.removeEventListener('keydown', onKey);
    removeEventListener('scroll', hide, true);
  };
};

/** Above the element, or below if there is no room, and always inside the window. */
const place = (tip: HTMLElement, { left, width, top, bottom }: DOMRect): void => {
  const size = tip.getBoundingClientRect();
  const x = Math.min(left + width / 2 - size.width / 2, innerWidth - size.width - marginPx);
  const above = top - size.height - gapPx;
  tip.style.left = `${Math.max(x, marginPx)}px`;
  tip.style.top = `${above >= marginPx ? above : bottom + gapPx}px`;
};

/** Words with a tip. A button, so that the keyboard and touch reach it too. */
export const Explain = ({ tip, children }: { tip: string; children: ComponentChildren }) => (
  <button type="button" class="explain" data-tip={tip}>
    {children}
  </button>
);
