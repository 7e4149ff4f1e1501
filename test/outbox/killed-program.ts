/** `DIRECTORY SETTINGS TIME`: sends the mail that is in a database, as if it was that time, until it is killed. */
import { mailKind } from '../../src/outbox/mail.ts';
import { startOutbox } from '../../src/outbox/sender.ts';
import { openDatabase } from '../../src/store/database.ts';

const [dataDir, settings, time] = process.argv.slice(2) as [string, string, string];
const kinds = { mail: mailKind(JSON.parse(settings), { file: () => undefined }) };
startOutbox({ db: openDatabase(dataDir), kinds, now: () => Number(time), log() {} }).wake();
setInterval(() => {}, 1000);
