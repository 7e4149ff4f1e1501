/** `DIRECTORY PORT`: makes and sends reports by a mail server until it is killed, at the time that a file says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailKind } from '../../src/outbox/mail.ts';
import { startOutbox } from '../../src/outbox/sender.ts';
import { outboxStore } from '../../src/store/outbox.ts';
import { openScene } from './scene.ts';

const [dataDir, port] = process.argv.slice(2) as [string, string];
const now = (): number => Number(readFileSync(join(dataDir, 'clock'), 'utf8'));
const { db } = openScene({ dataDir, now, everyMs: 20 });
const server = { host: '127.0.0.1', port: Number(port), isSecure: false, login: null };
const settings = { server, from: { name: '', address: 'a@b.example' }, tls: 'none' as const, perHour: 1e6 };
const outbox = startOutbox({ db, kinds: { mail: mailKind(settings, outboxStore(db)) }, now, log() {} });
setInterval(outbox.wake, 20);
