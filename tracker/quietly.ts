/**
 * Makes a function that never throws: whatever goes wrong in the tracker is no error of the page.
 */
export const quietly =
  <Args extends unknown[]>(run: (...args: Args) => void) =>
  (...args: Args): void => {
    try {
      run(...args);
    } catch {
      // Nobody there could mend it.
    }
  };
