/**
 * How a hit can end: a closed list. Each arriving hit is counted under exactly one outcome per site
 * and hour, and the answer names it in `x-daybook` (docs/collecting.md, "Answers"). A new way for a
 * hit to end is a new row here.
 */

interface OutcomeRow {
  /** What `x-daybook` says. */
  header: string;
  status: 202 | 400 | 401 | 404 | 413 | 429 | 503;
  /** Body of the answer; null where the pipeline makes it (the identity mode). */
  body: string | null;
  meaning: string;
}

const recorded = (meaning: string): OutcomeRow => ({ header: 'recorded', status: 202, body: null, meaning });
const ignored = (reason: string, meaning: string): OutcomeRow => ({
  header: `ignored; reason=${reason}`,
  status: 202,
  body: '',
  meaning,
});
const rejected = (
  reason: string,
  status: Exclude<OutcomeRow['status'], 202>,
  body: string,
  meaning: string,
): OutcomeRow => ({
  header: `rejected; reason=${reason}`,
  status,
  body,
  meaning,
});

export const outcomes = {
  recorded: recorded('stored and synced to disk'),

  'excluded-ip': ignored('excluded-ip', 'the address is on the site’s list'),
  'excluded-path': ignored('excluded-path', 'the path is on the site’s list'),
  'other-host': ignored('other-host', 'the site allows hosts, and this is none of them'),
  'excluded-country': ignored('excluded-country', 'the address is in a country on the site’s list'),
  crawler: ignored('crawler', 'the user agent names a crawler; kept in the crawlers view'),
  automation: ignored('automation', 'a program drives the browser; kept in the crawlers view'),
  'repeated-order': ignored('repeated-order', 'an order that was counted already, as when its page is loaded again'),
  'visitor-limit': ignored('visitor-limit', 'one visitor has sent more than 100,000 hits a day'),

  'not-crawler': ignored('not-crawler', 'reported as a crawler, but the user agent does not name one'),

  'bad-payload': rejected('bad-payload', 400, 'bad payload', 's or u missing, unknown t, or not JSON'),
  'bad-url': rejected('bad-url', 400, 'bad url', 'u is not an http or https address with a host'),
  'too-old': rejected('too-old', 400, 'too old', 'it was made more than 30 minutes ago: older hits are imported'),
  'unknown-site': rejected('unknown-site', 404, '{"error":"unknown site"}', 'no site has this key, domain or alias'),
  'bad-key': rejected('bad-key', 401, '{"error":"Missing or invalid API key"}', 'no account has this API key'),
  'too-large': rejected('too-large', 413, 'payload too large', 'the body is over 32 KiB'),
  'rate-limited': rejected(
    'rate-limited',
    429,
    'too many hits',
    'the sender’s network has sent more than its budget; try again',
  ),
  busy: rejected('busy', 503, 'busy', 'the queue of unwritten hits is full; try again'),
  unavailable: rejected('unavailable', 503, 'unavailable', 'the disk could not store the hit; try again'),

  // Import only: lines that are no hit, or whose day is closed. Together with the rows above they
  // add up to the lines read.
  'import-malformed': ignored('malformed', 'the line is not in the format'),
  'import-no-page': ignored('no-page', 'a request, but not a page view: an asset, another method, or unsuccessful'),
  'import-future': ignored('future', 'the line’s time is in the future'),
  'import-known': ignored('known', 'the row is here already: another import brought it, or it was collected'),
  'import-other-day': ignored('other-day', 'the row is of none of the days that were asked for'),
  'import-day-sealed': ignored('day-sealed', 'the line’s day is sealed already'),
  'import-day-passed': ignored('day-passed', 'the line’s day is before one that was read already'),
} as const satisfies Record<string, OutcomeRow>;

export type Outcome = keyof typeof outcomes;

/**
 * How hits end that a site should have had: rejected ones, those of a host that is not allowed, and
 * those of a visitor who sends too many. What is left out on purpose is none of them.
 */
export const refusedOutcomes: readonly Outcome[] = [
  ...(['other-host', 'visitor-limit'] as const),
  ...(Object.keys(outcomes) as Outcome[]).filter(name => outcomes[name].status !== 202),
];
