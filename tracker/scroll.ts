/** How far down somebody has seen the page. */

export interface Scroll {
  /** Another page is shown. */
  reset(): void;
  /**
   * Percent of the page, as high as it is now, down to the lowest line that was in the window: 0 to
   * 100. Makes the browser lay out the page.
   */
  depth(): number;
}

export const createScroll = (): Scroll => {
  let bottom = 0;
  // Comes once a frame at most, right before the browser lays out the page anyway.
  const look = (): void => {
    bottom = Math.max(bottom, scrollY + innerHeight);
  };
  addEventListener('scroll', look);
  return {
    reset() {
      bottom = 0;
    },
    depth() {
      look();
      return Math.min(Math.round((100 * bottom) / document.documentElement.scrollHeight), 100);
    },
  };
};
