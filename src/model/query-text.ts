/** A query string in which slashes and colons stay readable. */
export const queryText = (search: URLSearchParams): string =>
  search.toString().replaceAll('%2F', '/').replaceAll('%3A', ':');
