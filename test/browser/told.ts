/** Answers as they are where nothing was imported as counts of days: every figure is known. */
import type {
  Members as AnyMembers,
  Series as AnySeries,
  Stats as AnyStats,
  MemberRow,
  SeriesPoint,
} from '../../src/dashboard/app/answers.ts';
import type { MetricName } from '../../src/model/metrics.ts';

type Known = Record<MetricName, number>;

export type Stats = Omit<AnyStats, 'previous'> & Known & { previous: Known | null };
export type Members = Omit<AnyMembers, 'data'> & { data: (MemberRow & Known)[] };
export type Series = Omit<AnySeries, 'data'> & {
  data: (SeriesPoint & Record<'Visitors' | 'Pageviews' | 'Visits', number>)[];
};
