/** `daybook account …`: accounts and their plans. */
import { type GivenFlags, readSetting, settings } from '../config.ts';
import { makeToken } from '../model/ids.ts';
import type { Account } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import { nameOf, planOf } from '../model/values.ts';
import { accountLinks, linkMs } from '../store/accounts/account-links.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { type Context, command, type Flags, jsonFlag } from './command.ts';
import { accountNamed, withDatabase, withExistingDatabase } from './open.ts';
import { formatTime, isoTime, print, table } from './print.ts';

const planFlag = { kind: 'text', value: 'PLAN', meaning: 'hobby, pro, business or unlimited' } as const;

const listed = ({ name, plan, createdAt }: Account) => ({ name, plan, createdAt: isoTime(createdAt) });

export const accountAdd = command({
  name: 'account add',
  operands: ['NAME'],
  flags: { plan: planFlag, ...jsonFlag },
  summary: 'Add an account, with sites and keys of its own',
  details: 'The plan is unlimited unless another is given.',
  run: (context, { operands: [typed], flags }) => {
    const name = nameOf(typed);
    const plan = planOf(flags.plan ?? 'unlimited');
    return withDatabase(context, flags, db => {
      const account = accounts(db).add(name, plan, context.now());
      print(context, flags.json, listed(account), `Added account ${name} (${plan}).`);
    });
  },
});

export const accountList = command({
  name: 'account list',
  operands: [],
  flags: jsonFlag,
  summary: 'List the accounts',
  run: (context, { flags }) =>
    withExistingDatabase(context, flags, db => {
      const all = accounts(db).list();
      const text = table(
        ['NAME', 'PLAN', 'CREATED'],
        all.map(({ name, plan, createdAt }) => [name, plan, formatTime(createdAt)]),
      );
      print(context, flags.json, all.map(listed), all.length === 0 ? 'There are no accounts yet.' : text);
    }),
});

const requiredPlan = { plan: { ...planFlag, required: true } } as const satisfies Flags;

export const accountSet = command({
  name: 'account set',
  operands: ['NAME'],
  flags: { ...requiredPlan, ...jsonFlag },
  summary: 'Change the plan of an account',
  run: (context, { operands: [name], flags }) => {
    const plan = planOf(flags.plan);
    return withExistingDatabase(context, flags, db => {
      const account = accountNamed(db, name)!;
      accounts(db).setPlan(account.id, plan);
      print(context, flags.json, listed({ ...account, plan }), `Account ${name} is on the plan ${plan} now.`);
    });
  },
});

export const accountLink = command({
  name: 'account link',
  operands: ['NAME'],
  flags: {
    'base-url': { kind: 'text', value: settings.baseUrl.value, meaning: settings.baseUrl.meaning },
    ...jsonFlag,
  },
  summary: 'Print a link that sets the e-mail and password of an account',
  details: `For a new account, or a password that was forgotten. The link works once, for ${linkMs / dayMs} days, and takes the place of the one before it.`,
  run: (context, { operands: [name], flags }) =>
    withExistingDatabase(context, flags, db => {
      const account = accountNamed(db, name)!;
      const token = makeToken(context.random);
      accountLinks(db).put(account.id, token, context.now());
      const url = `${baseUrlOf(context, flags)}/set-password#${token}`;
      const expiresAt = context.now() + linkMs;
      print(
        context,
        flags.json,
        { name, url, expiresAt: isoTime(expiresAt) },
        `${url}\n\nThis link sets the e-mail and password of ${name}, once, until ${formatTime(expiresAt)} UTC.`,
      );
    }),
});

/** Where people reach the dashboard, as far as the settings tell. */
const baseUrlOf = ({ env }: Context, flags: GivenFlags): string =>
  readSetting('baseUrl', env, flags) ?? `http://${readSetting('host', env, flags)}:${readSetting('port', env, flags)}`;
