/**
 * The web site that every framework shows: pages with their titles, links to all of them, one page
 * that takes a while, and a redirect.
 */

const titles: Readonly<Record<string, string>> = {
  '/': 'Home',
  '/about': 'About',
  '/a': 'A',
  '/b': 'B',
  '/slow': 'Slow',
  '/new': 'New',
  '/end': 'End',
};

/** Every path of the site, without the redirect. */
export const paths: readonly string[] = [...Object.keys(titles), '/list'];

/** What every page links to, with its address as the text. */
export const links: readonly string[] = [...Object.keys(titles), '/about#team', '/list?page=1', '/list?page=2', '/old'];

/** Where `/old` leads. */
export const redirectsTo = '/new';

/** The title of a page, by its path and its query. */
export const titleOf = (path: string, search = ''): string =>
  path === '/list' ? `List ${new URLSearchParams(search).get('page')}` : (titles[path] ?? 'Not found');

/** The data of a page in the browser. `/slow` waits for its own. */
export const load = async (path: string): Promise<void> => {
  if (path === '/slow') await fetch('/data/slow');
};
