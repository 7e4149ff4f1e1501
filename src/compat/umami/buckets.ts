/** The steps of time of Umami's series, and how it names them. */
import { type Buckets, bucketsOf } from '../../api/request/buckets.ts';
import { bucketsMax } from '../../model/limits.ts';
import { minuteMs } from '../../model/time.ts';
import { badRequest } from './errors.ts';
import type { UmamiQuestion, Unit } from './parameters.ts';

/** Local minutes to years; `dates` are the names. Throws HttpError where there are too many. */
export const namedBuckets = ({
  span,
  unit,
  zone,
  isLocal,
}: Pick<UmamiQuestion, 'span' | 'unit' | 'zone' | 'isLocal'>): Buckets => {
  const length = { minute: 1, hour: 60, day: 1440, month: 40_320, year: 525_600 }[unit] * minuteMs;
  if ((span.to - span.from) / length > bucketsMax) throw badRequest('The range has too many steps of time.');
  const { bounds, dates } = bucketsIn(span, unit, zone);
  return { bounds, dates: dates.map(date => (isLocal ? date.replace('T', ' ') : `${date}Z`)) };
};

const bucketsIn = ({ from, to }: UmamiQuestion['span'], unit: Unit, zone: UmamiQuestion['zone']): Buckets => {
  if (unit !== 'minute' && unit !== 'year') return bucketsOf({ from, to, bucket: unit }, zone);
  const name = (local: number): string => new Date(local).toISOString().slice(0, 19);
  const bounds: number[] = [];
  const dates: string[] = [];
  for (let at = from; at < to; ) {
    const local = zone.local(at);
    const begin = unit === 'minute' ? local - (local % minuteMs) : Date.UTC(new Date(local).getUTCFullYear(), 0);
    bounds.push(at);
    dates.push(name(begin));
    at =
      unit === 'minute'
        ? at + minuteMs - (local - begin)
        : zone.instant(Date.UTC(new Date(local).getUTCFullYear() + 1, 0));
  }
  return { bounds: [...bounds, to], dates };
};
