/** The one place that knows where the API answers a question about a site, and with what. */

import type { AlertList } from '../wire.ts';
import type {
  Breakdown,
  Crawls,
  EventList,
  EventSeries,
  Explanation,
  FunnelAnswer,
  Goals,
  HitsOfVisit,
  Journey,
  LatestHits,
  Members,
  MetricSeries,
  NoteList,
  Outcomes,
  PropertyKeys,
  PropertyValuesAnswer,
  Realtime,
  Saved,
  Series,
  Stats,
  Suspects,
  TableAnswer,
  Visitor,
  VisitsAnswer,
  Vitals,
} from './answers.ts';
import { searchText } from './question.ts';

/** By the name of the endpoint; `ext/` stands before those beyond /api/v1. */
interface Answers {
  stats: Stats;
  series: Series;
  breakdown: Breakdown;
  realtime: Realtime;
  /** Which of them, its parameters say. */
  events: EventList | EventSeries | PropertyKeys | PropertyValuesAnswer;
  'ext/table': TableAnswer;
  'ext/series': MetricSeries;
  'ext/explain': Explanation;
  'ext/goals': Goals;
  'ext/segments': Saved;
  'ext/funnels': Saved;
  'ext/alerts': AlertList;
  'ext/members': Members;
  'ext/notes': NoteList;
  'ext/vitals': Vitals;
  'ext/crawlers': Crawls;
  'ext/suspects': Suspects;
  'ext/outcomes': Outcomes;
  'ext/latest-hits': LatestHits;
  'ext/journey': Journey;
  'ext/funnel': FunnelAnswer;
  'ext/hits': HitsOfVisit;
  'ext/visitor': Visitor;
  'ext/visits': VisitsAnswer;
}

declare const answer: unique symbol;
/** The address of a question; its type tells what the answer is. */
export type AskedAddress<Told> = string & { readonly [answer]?: Told };

/** The address of a question to the API about a site. */
export const askSite = <Name extends keyof Answers>(
  { id }: { id: string },
  name: Name,
  asked: URLSearchParams | Record<string, string> = {},
): AskedAddress<Answers[Name]> => {
  const [group, endpoint] = name.startsWith('ext/') ? ['ext', name.slice(4)] : ['v1', name];
  return `/api/${group}/sites/${id}/${endpoint}${searchText(new URLSearchParams(asked))}`;
};
