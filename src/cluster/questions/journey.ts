/** The pages, folders and events that visits went through, step by step. */
import type { JourneyStep, JourneyStepKind } from '../../model/journey-steps.ts';
import type { AnswerOf, JourneyLevel, QuestionOf } from '../../query/query.ts';
import { compareText } from '../../query/rows/top-rows.ts';
import { conditionOf, isEvent } from '../conditions.ts';
import { addUp, number, type ResultRow, type Scope, visitorsOf } from '../run.ts';
import { text } from '../sql.ts';

type JourneyQuestion = QuestionOf<'journey'>;

export const journey = async (scope: Scope, question: JourneyQuestion): Promise<AnswerOf<'journey'>> => {
  const { run } = scope;
  const ways = waysOf(scope, question);
  const opened = question.via.map(codeOf);
  const came = opened.map((_, level) =>
    opened
      .slice(0, level + 1)
      .map((code, i) => `way[${i + 1}] = ${text(code)}`)
      .join(' and '),
  );
  const levels = ['toUInt8(1)', ...came].map((condition, level) => `if(${condition}, ${level}, 99)`);
  const joined = `select visitor, way, arrayJoin(arrayFilter(l -> l < 99, [${levels.join(', ')}])) as level from (${ways})`;
  const [whole, next] = await Promise.all([
    run(`select level, count(), ${visitorsOf(scope)} from (${joined}) group by level`),
    run(`select level, way[level + 1] as step, count(), ${visitorsOf(scope)} from (${joined}) group by level, step`),
  ]);
  const [ofLevels, ofSteps] = [addUp(whole, 1), addUp(next, 2)];
  const levelAt = (level: number): JourneyLevel => {
    const [, visits, visitors] = ofLevels.find(([of]) => number(of) === level) ?? [];
    const rows = ofSteps.filter(([of]) => number(of) === level);
    return { visits: number(visits), visitors: number(visitors), ...rowsOf(rows, question.limit) };
  };
  return { kind: 'journey', levels: Array.from({ length: opened.length + 1 }, (_, level) => levelAt(level)) };
};

/** Steps as texts: the first letter of the kind, and the name. */
const kinds: readonly JourneyStepKind[] = ['page', 'folder', 'event'];
const codeOf = ({ kind, name }: JourneyStep): string => kind[0] + name;
const stepOf = (code: string): JourneyStep => ({ kind: kinds.find(kind => kind[0] === code[0])!, name: code.slice(1) });

const rowsOf = (found: readonly ResultRow[], limit: number): Pick<JourneyLevel, 'rows' | 'end' | 'other'> => {
  const counted = ([, , visits, visitors]: ResultRow) => ({ visits: number(visits), visitors: number(visitors) });
  const end = found.find(([, code]) => code === '');
  const rows = found
    .filter(([, code]) => code !== '')
    .map(row => ({ step: stepOf(String(row[1])), ...counted(row) }))
    .sort(
      (a, b) =>
        b.visits - a.visits ||
        b.visitors - a.visitors ||
        compareText(a.step.name, b.step.name) ||
        kinds.indexOf(a.step.kind) - kinds.indexOf(b.step.kind),
    );
  const others = rows.slice(limit);
  return {
    rows: rows.slice(0, limit),
    end: end === undefined ? { visits: 0, visitors: 0 } : counted(end),
    other: { visits: others.reduce((sum, { visits }) => sum + visits, 0), steps: others.length },
  };
};

/** A table of the visits that have the anchor: `visitor`, and `way`, the steps after it. */
const waysOf = ({ selection }: Scope, { anchor, direction, show, folder }: JourneyQuestion): string => {
  const isAnchor = anchor === null ? 'toUInt8(0)' : `toUInt8(${conditionOf(anchor, selection)})`;
  const hits = `select visitor, visit, id, ${stepSql(show, folder)} as step, ${isAnchor} as mark from ${selection.table} where ${selection.visits}`;
  const visits = `select any(visitor) as w, arraySort(groupArray((id, step, mark))) as ordered from (${hits}) group by visit`;
  const steps = anchor === null ? 'ordered' : between(direction);
  const anchored = `select w, ${steps} as chosen from (${visits})${anchor === null ? '' : ' where arrayExists(x -> x.3 = 1, ordered)'}`;
  const inDirection = direction === 'after' ? 'chosen' : 'arrayReverse(chosen)';
  const names = `select w, arrayMap(x -> x.2, ${inDirection}) as names from (${anchored})`;
  const [head, rest] = anchor === null ? [`''`, 'names'] : ['names[1]', 'arraySlice(names, 2)'];
  const told = `select w, ${head} as head, arrayFilter(x -> x != '', ${rest}) as told from (${names})`;
  // What is repeated is one step.
  return `select w as visitor, arrayFilter((x, before) -> x != before, told, arrayPopBack(arrayPushFront(told, head))) as way from (${told})`;
};

const between = (direction: JourneyQuestion['direction']): string => {
  const at = 'arrayFirstIndex(x -> x.3 = 1, ordered)';
  return direction === 'after' ? `arraySlice(ordered, ${at})` : `arraySlice(ordered, 1, ${at})`;
};

/** The step that a hit is; empty for one that is none. */
const stepSql = (show: JourneyQuestion['show'], folder: number): string => {
  const parts = `splitByChar('/', toString(path))`;
  const inFolder = `concat('f', arrayStringConcat(arraySlice(${parts}, 1, ${folder + 1}), '/'), '/')`;
  const page = `concat('p', toString(path))`;
  const ofPage =
    folder === 0
      ? page
      : `if(startsWith(toString(path), '/') and length(${parts}) > ${folder + 1}, ${inFolder}, ${page})`;
  const cases = [
    ...(show === 'pages' ? [] : [`${isEvent}, concat('e', toString(event))`]),
    ...(show === 'events' ? [] : [`type = 1 and path != '', ${ofPage}`]),
  ];
  return `multiIf(${cases.join(', ')}, '')`;
};
