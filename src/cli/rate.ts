/**
 * `daybook rate …`: what one currency is worth in another. Revenue is converted when it is read, so
 * a rate counts for earlier hits too.
 */
import { currencyOf, rateOf } from '../model/values.ts';
import { rates } from '../store/rates.ts';
import { command, UsageError } from './command.ts';
import { listing } from './format.ts';

const rateSet = command({
  name: 'rate set',
  operands: { SOURCE: currencyOf, TARGET: currencyOf, RATE: rateOf },
  summary: 'Set what one unit of a currency is worth in another',
  details: 'daybook rate set USD EUR 0.92 counts 1 dollar as 0.92 euros on sites whose currency is EUR.',
  database: 'create',
  run: ({ db }, { operands: { SOURCE: source, TARGET: target, RATE: rate } }) => {
    if (source === target) throw new UsageError('A currency needs no rate to itself.');
    rates(db).set({ source, target, rate });
    return { json: { source, target, rate }, text: `1 ${source} is now worth ${rate} ${target}.` };
  },
});

const rateList = command({
  name: 'rate list',
  summary: 'List the rates',
  run: ({ db }) =>
    listing(
      rates(db).list(),
      { SOURCE: 'source', TARGET: 'target', RATE: ({ rate }) => String(rate) },
      'There are no rates yet.',
    ),
});

export const rateCommands = [rateSet, rateList];
