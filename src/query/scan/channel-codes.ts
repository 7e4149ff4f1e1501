/**
 * The channel of each visit, worked out from the texts that tell where it came from. Each text is
 * looked at once; a visit is then three look-ups. Of a sealed day it is kept beside its columns.
 */
import { channelAt, clickOf, clicks, mediumOf, mediums, placeOf, places } from '../../model/channels.ts';
import { lazy, rememberById } from '../../model/remember.ts';
import type { Day, TextName } from '../../store/day/day.ts';
import type { QueryContext } from '../context.ts';
import { keeperOf } from './day-index.ts';

/** By place, medium and click: the number of the channel, from 1. */
const channelOfKinds = lazy(() =>
  Uint8Array.from({ length: places.length * mediums.length * clicks.length }, (_, kinds) => {
    const click = clicks[kinds % clicks.length]!;
    const medium = mediums[Math.floor(kinds / clicks.length) % mediums.length]!;
    const place = places[Math.floor(kinds / clicks.length / mediums.length)]!;
    return 1 + channelAt({ place, medium, click });
  }),
);

/** Numbers of the channels of a day's visits, from 1. */
export const channelCodes = ({ reader, text }: QueryContext): ((day: Day) => Uint8Array) => {
  const kindOf = <Kind>(kinds: readonly Kind[], of: (text: string | null) => Kind): ((id: number) => number) =>
    rememberById(id => kinds.indexOf(of(text(id))));
  const [place, medium, click] = [kindOf(places, placeOf), kindOf(mediums, mediumOf), kindOf(clicks, clickOf)];
  const make = (day: Day): Uint8Array => {
    const kindsOf = (name: TextName, of: (id: number) => number): Kinds => {
      const { codes, dictionary } = day.texts(name);
      return { codes, kinds: Uint8Array.from(dictionary, of) };
    };
    return listChannels(
      [
        kindsOf('utmSource', place),
        kindsOf('referrer', place),
        kindsOf('utmMedium', medium),
        kindsOf('clickId', click),
      ],
      channelOfKinds(),
      new Uint8Array(day.visits),
    );
  };
  return day => keeperOf(reader.cache, day)('channels', () => make(day));
};

/** The codes of a column, and what each code's text is. */
interface Kinds {
  codes: ArrayLike<number>;
  kinds: Uint8Array;
}

/** The place is that of the source, if there is one, and else that of the referrer. */
const listChannels = (
  [source, referrer, medium, click]: [source: Kinds, referrer: Kinds, medium: Kinds, click: Kinds],
  channelOf: Uint8Array,
  to: Uint8Array,
): Uint8Array => {
  for (let visit = 0; visit < to.length; visit++) {
    const ofSource = source.codes[visit]!;
    const place = ofSource === 0 ? referrer.kinds[referrer.codes[visit]!]! : source.kinds[ofSource]!;
    const kinds = place * mediums.length + medium.kinds[medium.codes[visit]!]!;
    to[visit] = channelOf[kinds * clicks.length + click.kinds[click.codes[visit]!]!]!;
  }
  return to;
};
