/**
 * Whether a button in it waits for the server. What opens above the page stays until then, since it
 * is where an error is told.
 */
export const isWaiting = (element: Element): boolean => element.querySelector('[aria-disabled="true"]') !== null;
