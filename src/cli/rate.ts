/** `daybook rate …`: what one currency is worth in another. Revenue is converted when it is read, so a rate counts for earlier hits too. */

import { currencyOf, rateOf } from '../model/values.ts';
import { rates } from '../store/accounts/accounts.ts';
import { command, jsonFlag, UsageError } from './command.ts';
import { withDatabase, withExistingDatabase } from './open.ts';
import { print, table } from './print.ts';

export const rateSet = command({
  name: 'rate set',
  operands: ['SOURCE', 'TARGET', 'RATE'],
  flags: jsonFlag,
  summary: 'Say what one unit of a currency is worth in another',
  details: 'daybook rate set USD EUR 0.92 counts 1 dollar as 0.92 euros, on sites whose currency is EUR.',
  run: (context, { operands, flags }) => {
    const rate = { source: currencyOf(operands[0]), target: currencyOf(operands[1]), rate: rateOf(operands[2]) };
    if (rate.source === rate.target) throw new UsageError('A currency needs no rate to itself.');
    return withDatabase(context, flags, db => {
      rates(db).set(rate);
      print(context, flags.json, rate, `1 ${rate.source} is ${rate.rate} ${rate.target} now.`);
    });
  },
});

export const rateList = command({
  name: 'rate list',
  operands: [],
  flags: jsonFlag,
  summary: 'List the rates',
  run: (context, { flags }) =>
    withExistingDatabase(context, flags, db => {
      const all = rates(db).list();
      const text = table(
        ['SOURCE', 'TARGET', 'RATE'],
        all.map(({ source, target, rate }) => [source, target, String(rate)]),
      );
      print(context, flags.json, all, all.length === 0 ? 'There are no rates yet.' : text);
    }),
});
