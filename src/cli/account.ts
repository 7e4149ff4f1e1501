/** `daybook account …`: accounts and their plans. */
import { baseUrlOf } from '../config.ts';
import { makeToken } from '../model/ids.ts';
import type { Account } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import { nameOf, planOf } from '../model/values.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { linkMs, signInLinks } from '../store/accounts/sign-in-links.ts';
import { command } from './command.ts';
import { settingFlag, textFlag } from './flags.ts';
import { formatTime, isoTime, listing } from './format.ts';
import { accountNamed } from './lookup.ts';

const planFlag = textFlag('PLAN', 'hobby, pro, business or unlimited', planOf);

const summaryOf = ({ name, plan, createdAt }: Account) => ({ name, plan, createdAt: isoTime(createdAt) });

const accountAdd = command({
  name: 'account add',
  operands: { NAME: nameOf },
  flags: { plan: planFlag },
  summary: 'Add an account, with sites and keys of its own',
  details: 'The default plan is unlimited.',
  database: 'create',
  run: ({ db, now }, { operands: { NAME }, flags: { plan = 'unlimited' } }) => ({
    json: summaryOf(accounts(db).add(NAME, plan, now())),
    text: `Added account ${NAME} (${plan}).`,
  }),
});

const accountList = command({
  name: 'account list',
  summary: 'List the accounts',
  run: ({ db }) =>
    listing(
      accounts(db).list().map(summaryOf),
      { NAME: 'name', PLAN: 'plan', CREATED: ({ createdAt }) => formatTime(createdAt) },
      'There are no accounts yet.',
    ),
});

const accountSet = command({
  name: 'account set',
  operands: { NAME: String },
  flags: { plan: { ...planFlag, required: true } },
  summary: 'Change the plan of an account',
  database: 'change',
  run: ({ db }, { operands: { NAME }, flags: { plan } }) => {
    const account = accountNamed(db, NAME);
    accounts(db).setPlan(account.id, plan);
    return { json: summaryOf({ ...account, plan }), text: `Account ${NAME} is now on the ${plan} plan.` };
  },
});

const accountLink = command({
  name: 'account link',
  operands: { NAME: String },
  flags: { 'base-url': settingFlag('baseUrl') },
  summary: 'Print a link that sets the e-mail and password of an account',
  details: `Use it for a new account or a forgotten password. The link works once, within ${linkMs / dayMs} days, and replaces the one before.
Whoever uses it is signed in, everybody else is signed out, and its page offers to revoke the account’s API keys and public pages.`,
  database: 'change',
  run: ({ db, now, random, env }, { operands: { NAME }, flags }) => {
    const token = makeToken(random);
    signInLinks(db).putForAccount(accountNamed(db, NAME).id, token, now());
    const url = `${baseUrlOf(env, flags)}/set-password#${token}`;
    const expiresAt = now() + linkMs;
    return {
      json: { name: NAME, url, expiresAt: isoTime(expiresAt) },
      text: `${url}\n\nThis link sets the e-mail and password of ${NAME}. It works once, until ${formatTime(expiresAt)} UTC.`,
    };
  },
});

export const accountCommands = [accountAdd, accountList, accountSet, accountLink];
