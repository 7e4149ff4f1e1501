/** `daybook doctor`: looks at everything a server depends on, and says what is not as it should be. */
import { readConfig } from '../config.ts';
import { openReader } from '../store/database.ts';
import { CommandError, command, jsonFlag } from './command.ts';
import { checks, type Finding, type Patient } from './doctor/checks.ts';
import { requireDatabase } from './open.ts';
import { print } from './print.ts';

const marks: Record<Finding['state'], string> = { good: 'ok', odd: '!!', bad: 'XX' };

export const doctor = command({
  name: 'doctor',
  operands: [],
  flags: {
    'geo-db': { kind: 'text', value: 'FILE', meaning: 'The city database that the server is given (GEO_DB)' },
    'trust-proxy': { kind: 'text', value: 'LIST', meaning: 'The proxies that the server trusts (TRUST_PROXY)' },
    ...jsonFlag,
  },
  summary: 'Look at what a server depends on',
  details: `Run it as the server runs: with its user, its data directory and its settings. "!!" is worth a look, "XX" must be mended.
It changes nothing and may run beside a server. daybook check looks for damage in the data itself.`,
  run: async (context, { flags }) => {
    const config = readConfig(context.env, flags);
    const { dataDir } = config;
    requireDatabase(dataDir);
    // Not as other commands do: opening for writing would bring an older file up to date.
    const db = openReader(dataDir);
    try {
      const findings = await examine({ db, dataDir, now: context.now(), config });
      const text = findings.map(({ state, about, text }) => `${marks[state]}  ${about.padEnd(10)}${text}`).join('\n');
      print(context, flags.json, findings, text);
      complain(findings);
    } finally {
      db.close();
    }
  },
});

const examine = async (patient: Patient): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const [about, check] of Object.entries(checks)) {
    for (const [state, text] of await check(patient)) findings.push({ about, state, text });
  }
  return findings;
};

const complain = (findings: readonly Finding[]): void => {
  const bad = findings.filter(({ state }) => state === 'bad');
  if (bad.length > 0) throw new CommandError(`Something must be mended: ${bad.map(({ about }) => about).join(', ')}.`);
};
