/** Filters of Plausible's first API: `event:page==/blog/**;visit:country!=DE`, lists with `|`. */
import { badQuery } from './errors.ts';

/** As the second API has them. Throws HttpError. */
export const filterTree = (text: string): unknown[] =>
  text.split(';').flatMap(part => (part.trim() === '' ? [] : [filterOf(part)]));

const filterOf = (part: string): unknown[] => {
  const [name, symbol, typed] = (/^([^=!~]+)(==|!=|!~|~)(.*)$/s.exec(part) ?? []).slice(1).map(piece => piece.trim());
  if (!name || !typed) {
    throw badQuery(`Invalid filter '${part.slice(0, 200)}'. Write it like visit:country==DE.`);
  }
  const values = typed.split(/(?<!\\)\|/).map(value => value.replaceAll('\\|', '|'));
  const not = symbol!.startsWith('!') ? '_not' : '';
  if (symbol!.endsWith('~')) return [`contains${not}`, name, values];
  const isGoal = name === 'event:goal';
  if (isGoal || !typed.includes('*')) return [`is${not}`, name, values];
  return [`matches_wildcard${not}`, name, values];
};
