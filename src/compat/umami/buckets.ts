/** The steps of time of Umami's series, and how it names them. */
import { type Buckets, bucketsBy, steps, type TimeStep } from '../../api/request/buckets.ts';
import { addMonths, startOfYear } from '../../model/calendar.ts';
import { bucketsMax } from '../../model/limits.ts';
import { minuteMs } from '../../model/time.ts';
import { badRequest } from './errors.ts';
import type { UmamiQuestion, Unit } from './parameters.ts';

const startOfMinute = (local: number): number => local - (local % minuteMs);

/** Each with about its least length in minutes. */
const unitSteps: Record<Unit, TimeStep & { minutes: number }> = {
  minute: { minutes: 1, begin: startOfMinute, next: (at, local) => at + minuteMs - (local - startOfMinute(local)) },
  hour: { minutes: 60, ...steps.hour },
  day: { minutes: 1440, ...steps.day },
  month: { minutes: 40_320, ...steps.month },
  year: {
    ...{ minutes: 525_600, begin: startOfYear },
    next: (_, local, zone) => zone.instant(addMonths(startOfYear(local), 12)),
  },
};

/** Local minutes to years; `dates` are the names. Throws HttpError where there are too many. */
export const namedBuckets = ({
  span,
  unit,
  zone,
  isLocal,
}: Pick<UmamiQuestion, 'span' | 'unit' | 'zone' | 'isLocal'>): Buckets => {
  const step = unitSteps[unit];
  if ((span.to - span.from) / (step.minutes * minuteMs) > bucketsMax)
    throw badRequest('The range has too many steps of time.');
  const { bounds, dates } = bucketsBy(step, span, zone);
  return { bounds, dates: dates.map(date => (isLocal ? date.replace('T', ' ') : `${date}Z`)) };
};
