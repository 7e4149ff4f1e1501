/**
 * Keeps the focus near where it was. What somebody presses may go away: a filter that is removed, a
 * button that shows more rows. The browser then begins again at the top of the page, which costs
 * the keyboard a long way back.
 */

const stopSelector = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Where the keyboard stops within an element, in order. */
const stopsIn = (within: ParentNode): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>(stopSelector)].filter(({ tabIndex }) => tabIndex >= 0);

const isUsable = (stop: HTMLElement): boolean =>
  !stop.matches(':disabled') && stop.checkVisibility({ visibilityProperty: true });

/** What had the focus, and the number of stops before it in each element around, nearest first. */
interface Place {
  element: HTMLElement;
  path: string;
  around: { element: Element; before: number }[];
}

const placeOf = (element: HTMLElement): Place => {
  const stops = stopsIn(document);
  const at = stops.indexOf(element);
  const around: Place['around'] = [];
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    const within = outer;
    around.push({ element: outer, before: at - stops.findIndex(stop => within.contains(stop)) });
  }
  return { element, path: location.pathname, around };
};

/** What is now where the place was; on another page, its content. */
const heirOf = ({ path, around }: Place): HTMLElement | null => {
  const main = document.getElementById('main');
  if (path !== location.pathname) return main;
  for (const { element, before } of around) {
    const stops = element.isConnected ? stopsIn(element).filter(isUsable) : [];
    const heir = stops[Math.min(before, stops.length - 1)];
    if (heir !== undefined) return heir;
  }
  return main;
};

/** Only for the keyboard: whoever points elsewhere next has no use for it. */
export const keepFocus = (): void => {
  let isByKey = false;
  let place: Place | null = null;
  addEventListener('keydown', () => (isByKey = true), true);
  addEventListener('pointerdown', () => (isByKey = false), true);
  document.addEventListener('focusin', ({ target }) => {
    place = isByKey && target instanceof HTMLElement ? placeOf(target) : null;
  });
  const look = (): void => {
    if (place === null) return;
    const { element } = place;
    const isGone = !element.isConnected || element.matches(':disabled');
    if (isGone && [document.body, element].includes(document.activeElement as HTMLElement))
      heirOf(place)?.focus({ preventScroll: true });
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] });
};
