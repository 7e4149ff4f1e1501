/**
 * The list of events under a filter by name. With `event=` the endpoint answers about that event
 * alone: so names are asked for by their beginning and end, and the list is cut here.
 */
import type { EventItem } from '../answers.ts';

export const eventListSearch = (question: URLSearchParams): URLSearchParams => {
  const asked = new URLSearchParams(question);
  asked.delete('event');
  for (const name of question.getAll('event')) {
    asked.append('event^', name);
    asked.append('event$', name);
  }
  return asked;
};

export const namedEvents = (events: readonly EventItem[], search: URLSearchParams): readonly EventItem[] => {
  const names = search.getAll('event');
  return names.length === 0 ? events : events.filter(({ name }) => names.includes(name));
};
