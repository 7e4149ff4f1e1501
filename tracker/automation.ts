/**
 * Signs of a browser that a program drives: the bits of `b` (docs/collecting.md, "Bots"). The
 * collector judges; this only reads.
 */

/**
 * Names that drivers leave among the globals. `phantom` alone is not among them: the wallet of that
 * name puts it into the pages of people.
 */
const driverGlobal =
  /^(_phantom|callPhantom|__nightmare|Cypress|__(playwright|pwInit)\w*|_[sS]elenium\w*|__(\w*driver|selenium)_\w+|\$?cdc_\w{22}_\w*)$/;

/**
 * Windows and Apple systems name themselves in both; where just one of the two says so, one of them
 * is made up.
 */
const contradicts = (platform: string, userAgent: string): boolean =>
  !!platform &&
  (/^Win/.test(platform) !== /Windows/.test(userAgent) || /^(Mac|iP)/.test(platform) !== /Mac OS/.test(userAgent));

/**
 * Reads the signals of the page. `unseen` says that nobody could see it when it was loaded. They
 * stand in the order of their bits: `automationBits` in src/model/hit.ts.
 */
export const automationSignals = (unseen: boolean): number =>
  [
    navigator.webdriver,
    Object.keys(window)
      .concat(Object.keys(document))
      .some(name => driverGlobal.test(name)),
    /Headless/.test(navigator.userAgent + JSON.stringify(navigator.userAgentData)),
    !document.hidden && !outerWidth && !outerHeight,
    screen.width * 2 <= innerWidth || screen.height * 2 <= innerHeight,
    !navigator.languages?.length,
    contradicts(navigator.platform, navigator.userAgent),
    unseen,
  ].reduce((bits, signal, bit) => bits + (signal ? 1 << bit : 0), 0);
