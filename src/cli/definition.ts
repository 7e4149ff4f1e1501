/** `daybook goal …`, `segment …` and `funnel …`: what a site has under names. */
import { definitionNameOf, definitionOf } from '../api/definitions.ts';
import { type DefinitionKind, definitionPlurals, definitionsMax } from '../model/definitions.ts';
import { definitions } from '../store/definitions.ts';
import { type Command, CommandError, command } from './command.ts';
import { accountFlag, type Flags, textFlag } from './flags.ts';
import { listing } from './format.ts';
import { siteNamed } from './lookup.ts';

interface KindRow {
  /** What it is made of, by the name that the API has for it. */
  text: 'conditions' | 'filters' | 'question';
  flags: Flags;
  summary: string;
  details: string;
}

const rows: Record<DefinitionKind, KindRow> = {
  goal: {
    text: 'conditions',
    flags: {
      value: textFlag('N', 'What each conversion is worth, in minor units of the currency'),
    },
    summary: 'Add a goal, or change the one of this name',
    details: `CONDITIONS are filters as in an address, with & between those that all hold and | between alternatives: 'event=Signup',
'path^=/thanks', 'scroll>=75&path=/pricing'. A goal counts for the past, too.`,
  },
  segment: {
    text: 'filters',
    flags: {},
    summary: 'Add a segment, or change the one of this name',
    details: `FILTERS are filters as in an address, with & between them: 'country=DE&visit:event=Signup'.`,
  },
  funnel: {
    text: 'question',
    flags: {},
    summary: 'Add a funnel, or change the one of this name',
    details: 'QUESTION is the query string of a question about the funnel.',
  },
};

const commandsOf = (kind: DefinitionKind): Command[] => {
  const { text, flags, summary, details } = rows[kind];
  const operand = text.toUpperCase();
  const set = command({
    name: `${kind} set`,
    operands: { DOMAIN: String, NAME: definitionNameOf, [operand]: String },
    flags: { ...flags, ...accountFlag },
    summary,
    details,
    database: 'change',
    run: ({ db, now }, { operands, flags: given }) => {
      const { account, value = '' } = given as { account?: string; value?: string };
      const { id, domain: site } = siteNamed(db, operands.DOMAIN, account);
      const body = definitionOf(kind, { value, [text]: (operands as Record<string, string>)[operand]! });
      if (!definitions(db).set(id, kind, operands.NAME, body, now())) {
        throw new CommandError(`A site has at most ${definitionsMax} ${definitionPlurals[kind]}.`);
      }
      return { json: { site, name: operands.NAME, ...body }, text: `Saved the ${kind} ${operands.NAME} of ${site}.` };
    },
  });
  const list = command({
    name: `${kind} list`,
    operands: { DOMAIN: String },
    flags: accountFlag,
    summary: `List the ${definitionPlurals[kind]} of a site`,
    run: ({ db }, { operands: { DOMAIN }, flags: { account } }) =>
      listing(
        definitions(db)
          .list(siteNamed(db, DOMAIN, account).id, kind)
          .map(({ name, body }): Record<string, unknown> & { name: string } => ({ name, ...body })),
        { NAME: ({ name }) => name, [operand]: row => String(row[text]) },
        `There are no ${definitionPlurals[kind]} yet.`,
      ),
  });
  const remove = command({
    name: `${kind} remove`,
    operands: { DOMAIN: String, NAME: definitionNameOf },
    flags: accountFlag,
    summary: `Remove a ${kind}`,
    database: 'change',
    run: ({ db }, { operands: { DOMAIN, NAME: name }, flags: { account } }) => {
      const { id, domain: site } = siteNamed(db, DOMAIN, account);
      if (!definitions(db).remove(id, kind, name)) {
        throw new CommandError(`${site} has no ${kind} ${name}: daybook ${kind} list ${site} shows them.`);
      }
      return { json: { site, name, removed: true }, text: `Removed the ${kind} ${name} of ${site}.` };
    },
  });
  return [set, list, remove];
};

export const definitionCommands: readonly Command[] = (['goal', 'segment', 'funnel'] as const).flatMap(commandsOf);
