/** `/journey`: what came after a page, an event or the beginning of the visit, or before it. */
import {
  type JourneyStep,
  journeyDirections,
  journeyShows,
  journeyStepText,
  readJourneyStep,
} from '../model/journey-steps.ts';
import { journeyFolderMax, journeyLevelsMax, journeyRowsDefault, journeyRowsMax } from '../model/limits.ts';
import type { JourneyLevel } from '../query/query.ts';
import { askOne, refuseHidden, windowEndpoint, windowObject } from './endpoint.ts';
import { stepFilters } from './funnel.ts';
import { choice, type Parameter, ParameterError, type RepeatedParameter, rowLimit } from './request/parameters.ts';
import { type AskedStep, readStep } from './request/steps.ts';
import { count, described, list, object, oneOf, text } from './schema.ts';

const anchor: Parameter<AskedStep | null> = {
  schema: { ...text, examples: ['path=/pricing'] },
  meaning:
    'The hit to look from, as a step of a funnel; the first such hit of a visit counts. Missing: the beginning of the visit, or its end',
  read: (given, name) => (given === undefined ? null : readStep(given, name)),
};

const via: RepeatedParameter<JourneyStep[]> = {
  schema: { ...list(text, journeyLevelsMax - 1), examples: [['path=/pricing', 'event=Signup']] },
  meaning: 'A step that was opened, as `step` of a row gives it. Repeated, from the anchor on',
  readAll(texts, name) {
    if (texts.length >= journeyLevelsMax) throw new ParameterError({ error: 'too many steps', parameter: name });
    return texts.map(value => {
      const step = readJourneyStep(value);
      if (step === undefined) throw new ParameterError({ error: 'bad step', parameter: name, value });
      return step;
    });
  },
};

const folderTexts = choice(
  Array.from({ length: journeyFolderMax + 1 }, (_, levels) => String(levels)),
  '0',
  'Groups pages by folders of so many levels; 0: not at all',
);
const folder: Parameter<number> = {
  ...folderTexts,
  schema: { type: 'integer', minimum: 0, maximum: journeyFolderMax, default: 0 },
  read: (given, name) => Number(folderTexts.read(given, name)),
};

const counted = { visits: count, visitors: count };

export const journey = windowEndpoint({
  summary: 'What came after a page, an event or the beginning of the visit, or before it',
  own: {
    direction: choice(journeyDirections, 'after', 'Which way to look'),
    anchor,
    via,
    show: choice(journeyShows, 'pages', 'What counts as a step'),
    folder,
    limit: rowLimit(journeyRowsDefault, journeyRowsMax, 'Steps at each level'),
  },
  response: windowObject({
    levels: described(
      list(
        object({
          ...counted,
          data: list(
            object({
              step: described(text, 'For `via`; also a filter as a query string'),
              kind: oneOf(['page', 'folder', 'event']),
              name: described(text, 'Of a folder, how its paths begin'),
              ...counted,
            }),
            journeyRowsMax,
          ),
          end: described(object(counted), 'Visits in which nothing came next: they ended, or began, there'),
          other: described(object({ visits: count, steps: count }), 'What is in no row'),
        }),
        journeyLevelsMax,
      ),
      'What came next, and for each opened step what came next after it',
    ),
  }),
  plan({ window, filters, anchor, ...asked }, view) {
    const { direction, via, show, folder, limit } = asked;
    if (show !== 'pages' || via.some(({ kind }) => kind === 'event')) refuseHidden(view, 'events');
    const from = anchor && stepFilters(anchor, view);
    const question = { kind: 'journey', direction, anchor: from, via, show, folder, limit } as const;
    return askOne(window, filters, question, ({ levels }) => ({ levels: levels.map(levelJson) }));
  },
});

const levelJson = ({ visits, visitors, rows, end, other }: JourneyLevel): object => ({
  visits,
  visitors,
  data: rows.map(({ step, ...numbers }) => ({ step: journeyStepText(step), ...step, ...numbers })),
  end,
  other,
});
