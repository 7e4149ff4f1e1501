/** When the browser has nothing else to do, or after so long. */
const timeoutMs = 500;

/** Resolves then. What costs time is kept out of the load of a page in this way. */
export const idle = (): Promise<unknown> =>
  new Promise(run => {
    // Safari has no idle callbacks.
    'requestIdleCallback' in self ? requestIdleCallback(run, { timeout: timeoutMs }) : setTimeout(run);
  });
