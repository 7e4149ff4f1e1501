import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts';
import { KindHeld, type OutboxKinds } from '../../src/outbox/kinds.ts';
import { mailKind, mailWithoutServer } from '../../src/outbox/mail.ts';
import { startOutbox } from '../../src/outbox/sender.ts';
import type { Database } from '../../src/store/database.ts';
import { fileDigest, outboxStore } from '../../src/store/outbox.ts';
import { temporaryDatabase } from '../helpers.ts';
import { mailTo, settingsOf, start, until } from './mails.ts';
import { headerOf, smtpLogin, startSmtp, type TakenMail } from './smtp-server.ts';

const noFiles = { file: () => undefined };

/** A sender with a clock that a test moves. */
const begin = (db: Database, kinds: OutboxKinds) => {
  const logged: string[] = [];
  const clock = { now: start };
  const outbox = startOutbox({ db, kinds, now: () => clock.now, log: event => void logged.push(event) });
  return { outbox, clock, logged, store: outboxStore(db) };
};

test('mail that is written in a transaction is sent once, with headers that mail programs look for', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp();
  const { outbox, store, clock } = begin(db, { mail: mailKind(settingsOf(smtp), noFiles) });
  try {
    assert.throws(() =>
      db.transaction(() => {
        store.add(mailTo('never@a.example'), clock.now);
        throw new Error('undone');
      })(),
    );
    db.transaction(() => {
      assert.ok(store.add(mailTo('ada@a.example'), clock.now));
      assert.not.ok(store.add(mailTo('ada@a.example'), clock.now));
    })();
    outbox.wake();
    await until(() => store.waiting('mail') === 0);
    assert.not.ok(store.add(mailTo('ada@a.example'), clock.now), 'what was sent is not written again');
    assert.is(smtp.mails.length, 1);
    const [mail] = smtp.mails;
    assert.equal([mail!.from, mail!.to], ['reports@stats.example', ['ada@a.example']]);
    assert.is(headerOf(mail!, 'From'), 'Daybook <reports@stats.example>');
    assert.is(headerOf(mail!, 'List-Unsubscribe'), '<https://stats.example/mail/x>');
    assert.is(headerOf(mail!, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
    assert.is(headerOf(mail!, 'Auto-Submitted'), 'auto-generated');
    assert.match(headerOf(mail!, 'Message-ID')!, /^<[\da-f]{32}@stats\.example>$/);
    assert.match(headerOf(mail!, 'Content-Type')!, /^multipart\/alternative/);
    assert.equal(outbox.stats(), { mail: { sent: 1, failed: 0, waiting: 0, failure: null } });
    assert.is(db.prepare('select body from outbox').pluck().get(), '{}', 'what was sent is forgotten');
  } finally {
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

test('texts with line breaks and addresses with commas make no headers and no more recipients', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp();
  const { outbox, store, clock } = begin(db, { mail: mailKind(settingsOf(smtp), noFiles) });
  try {
    const subject = 'Site\r\nBcc: eve@a.example\r\n\r\nshop.example';
    store.add(
      { ...mailTo('ada@a.example'), body: { subject, text: 'x\r\n.\r\nMAIL FROM:<eve@a.example>\r\n' } },
      clock.now,
    );
    store.add(mailTo('"a,eve@a.example"@b.example'), clock.now);
    store.add(mailTo('bob,eve@a.example'), clock.now);
    store.add(mailTo('bob@a.example>, <eve@a.example'), clock.now);
    outbox.wake();
    await until(() => store.waiting('mail') === 0);
    assert.ok(smtp.mails.length >= 2);
    for (const mail of smtp.mails) {
      assert.is(mail.to.length, 1);
      assert.is(headerOf(mail, 'Bcc'), undefined);
    }
    assert.ok(smtp.mails.some(mail => headerOf(mail, 'Subject')?.includes('Bcc')));
    assert.ok(smtp.mails.every(({ to: [to] }) => to !== 'eve@a.example'));
  } finally {
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

test('a recipient who is refused costs one mail, and what is put off is tried again at growing intervals', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp();
  const { outbox, store, clock, logged } = begin(db, { mail: mailKind(settingsOf(smtp), noFiles) });
  try {
    smtp.faults.recipient = address => ({ 'gone@a.example': 550, 'full@a.example': 452 })[address];
    for (const name of ['gone', 'full', 'fine']) store.add(mailTo(`${name}@a.example`), clock.now);
    const due = (): number[] =>
      db.prepare('select next_at from outbox where ended_at is null').pluck().all() as number[];
    outbox.wake();
    await until(() => outbox.stats().mail!.sent === 1 && outbox.stats().mail!.failed === 1 && due()[0]! > clock.now);
    assert.match(store.latest('test:gone', 1)[0]!.error!, /550/);
    assert.equal(logged, ['message-failed']);
    const waits: number[] = [];
    while (store.waiting('mail') > 0) {
      const [nextAt] = due();
      waits.push((nextAt! - clock.now) / minuteMs);
      clock.now = nextAt!;
      outbox.wake();
      await until(() => due()[0] !== nextAt);
    }
    assert.equal(waits, [1, 5, 30, 120, 360, 720, 720, 720, 720, 720]);
    assert.ok(clock.now - start > 2.5 * dayMs && clock.now - start <= 3 * dayMs);
    assert.match(store.latest('test:full', 1)[0]!.error!, /452/);
    assert.is(smtp.mails.length, 1);
  } finally {
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

test('a login, a sender or a server that fails holds all mail, which goes on by itself and loses no try', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp();
  const settings = settingsOf(smtp, { server: { ...smtp.server, login: smtpLogin } });
  const { outbox, store, clock, logged } = begin(db, { mail: mailKind(settings, noFiles) });
  try {
    for (const [fault, said] of [
      [{ login: 535 }, /535/],
      [{ login: 454 }, /454/],
      [{ sender: 550 }, /550/],
    ] as const) {
      const before = outbox.stats().mail!.sent;
      const connections = smtp.open.all;
      Object.assign(smtp.faults, fault);
      for (let i = 0; i < 20; i++) store.add(mailTo(`${i}@a.example`, `${JSON.stringify(fault)}:${i}`), clock.now);
      outbox.wake();
      await until(() => outbox.stats().mail!.failure !== null);
      assert.match(outbox.stats().mail!.failure!, said);
      // A failure that comes after the clock has moved would hold the mail anew.
      await until(() => smtp.open.all === connections + 4 && smtp.open.now === 0);
      assert.equal([outbox.stats().mail!.sent, store.waiting('mail')], [before, 20]);
      for (const name of Object.keys(fault)) delete smtp.faults[name as 'login'];
      clock.now += minuteMs;
      outbox.wake();
      await until(() => store.waiting('mail') === 0);
      assert.is(outbox.stats().mail!.failure, null);
    }
    assert.equal(logged, ['mail-failed', 'mail-failed', 'mail-failed']);
    assert.is(db.prepare('select max(tries) from outbox').pluck().get(), 0);
  } finally {
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

test('a server that drops the connection late is tried again, and one that is away or without TLS holds mail', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp();
  const { outbox, store, clock } = begin(db, { mail: mailKind(settingsOf(smtp), noFiles) });
  const plain = begin(temporaryDatabase().db, { mail: mailKind(settingsOf(smtp, { tls: 'required' }), noFiles) });
  const tls = await startSmtp({ secure: true });
  const forged = begin(temporaryDatabase().db, { mail: mailKind(settingsOf(tls, { tls: 'required' }), noFiles) });
  try {
    smtp.faults.atEnd = 'drops';
    store.add(mailTo('ada@a.example'), clock.now);
    outbox.wake();
    const tries = db.prepare('select tries from outbox').pluck();
    await until(() => tries.get() === 1);
    delete smtp.faults.atEnd;
    clock.now += minuteMs;
    outbox.wake();
    await until(() => store.waiting('mail') === 0);

    for (const each of [plain, forged]) {
      each.store.add(mailTo('ada@a.example'), start);
      each.outbox.wake();
      await until(() => each.outbox.stats().mail!.failure !== null);
    }
    assert.match(plain.outbox.stats().mail!.failure!, /STARTTLS/);
    assert.match(forged.outbox.stats().mail!.failure!, /certificate/i);
    assert.is(smtp.mails.length + tls.mails.length, 1);

    await smtp.close();
    store.add(mailTo('bob@a.example'), clock.now);
    outbox.wake();
    await until(() => outbox.stats().mail!.failure !== null);
    clock.now += 3 * dayMs + hourMs;
    outbox.wake();
    await until(() => store.waiting('mail') === 0);
    assert.match(store.latest('test:bob', 1)[0]!.error!, /too long/, 'it is given up in the end');
  } finally {
    await Promise.all([outbox.close(), plain.outbox.close(), forged.outbox.close(), tls.close()]);
    db.close();
  }
});

test('what waits for a mail server that is no longer set is held, and given up after three days', async () => {
  const { db } = temporaryDatabase();
  const { outbox, store, clock, logged } = begin(db, { mail: mailWithoutServer });
  try {
    store.add(mailTo('ada@a.example'), clock.now);
    outbox.wake();
    await until(() => outbox.stats().mail!.failure !== null);
    const { failure, waiting } = outbox.stats().mail!;
    assert.equal([failure, waiting], ['No mail server is set: SMTP_URL.', 1]);
    assert.equal(logged, ['mail-failed']);
    clock.now += 3 * dayMs + hourMs;
    outbox.wake();
    await until(() => store.waiting('mail') === 0);
    assert.match(store.latest('test:ada', 1)[0]!.error!, /too long/);
  } finally {
    await outbox.close();
    db.close();
  }
});

test('a mail server that hangs is left after a while, and others get their mail meanwhile', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp();
  const { outbox, store, clock } = begin(db, { mail: mailKind(settingsOf(smtp), noFiles, { silentMs: 2000 }) });
  const hangs = new Set(['ada@a.example']);
  try {
    smtp.faults.hangsFor = address => hangs.has(address);
    for (const name of ['ada', 'bob', 'eve', 'ida', 'joe', 'kim']) store.add(mailTo(`${name}@a.example`), clock.now);
    outbox.wake();
    await until(() => outbox.stats().mail!.sent === 5);
    const [tries, nextAt] = ['tries', 'next_at'].map(of =>
      db.prepare(`select ${of} from outbox where target = 'ada@a.example'`).pluck(),
    );
    await until(() => tries!.get() === 1);
    assert.is(nextAt!.get(), clock.now + minuteMs);
    assert.match(store.latest('test:ada', 1)[0]!.error!, /timeout/i);
    assert.is(outbox.stats().mail!.failure, null, 'it holds no other mail');
    store.add(mailTo('lea@a.example'), clock.now);
    outbox.wake();
    await until(() => outbox.stats().mail!.sent === 6);

    hangs.clear();
    clock.now += minuteMs;
    outbox.wake();
    await until(() => store.waiting('mail') === 0);
    assert.equal(smtp.mails.filter(({ to: [to] }) => to === 'ada@a.example').length, 1);
  } finally {
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

test('a server that takes connections and never speaks holds all mail, and gets it once it speaks', async () => {
  const { db } = temporaryDatabase();
  const held = new Set<Socket>();
  const mute = createServer(socket => void held.add(socket)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const smtp = await startSmtp();
  const settings = settingsOf(smtp, { server: { host: '127.0.0.1', port, isSecure: false, login: null } });
  const { outbox, store, clock, logged } = begin(db, { mail: mailKind(settings, noFiles, { connectMs: 1000 }) });
  try {
    for (let i = 0; i < 20; i++) store.add(mailTo(`${i}@a.example`), clock.now);
    outbox.wake();
    await until(() => outbox.stats().mail!.failure !== null);
    assert.match(outbox.stats().mail!.failure!, /greeting/i);
    // Each of them has given up, or its failure would count for the hour that comes.
    await until(() => held.size === 4 && [...held].every(socket => socket.closed));
    settings.server.port = smtp.server.port;
    clock.now += minuteMs;
    outbox.wake();
    await until(() => store.waiting('mail') === 0);
    assert.is(smtp.mails.length, 20);
    assert.equal(logged, ['mail-failed']);
    assert.is(db.prepare('select max(tries) from outbox').pluck().get(), 0);
  } finally {
    mute.close();
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

test('a server whose certificate nobody vouches for gets mail where that is enough', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp({ disabledCommands: [] });
  const { outbox, store, clock } = begin(db, { mail: mailKind(settingsOf(smtp, { tls: 'opportunistic' }), noFiles) });
  try {
    store.add(mailTo('ada@a.example'), clock.now);
    outbox.wake();
    await until(() => smtp.mails.length === 1);
    assert.is(headerOf(smtp.mails[0]!, 'Subject'), 'Hello');
    assert.ok(smtp.open.isEncrypted);
  } finally {
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

test('thousands that are due at once go four at a time, an hour’s number an hour, what somebody waits for first', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp();
  const { outbox, store, clock } = begin(db, { mail: mailKind(settingsOf(smtp, { perHour: 40 }), noFiles) });
  try {
    db.transaction(() => {
      for (let i = 0; i < 3000; i++) store.add(mailTo(`${i}@a.example`), clock.now);
    })();
    store.add({ ...mailTo('now@a.example'), isUrgent: true }, clock.now);
    outbox.wake();
    await until(() => outbox.stats().mail!.sent === 40);
    await wait(100);
    assert.equal([smtp.mails.length, smtp.mails[0]!.to[0]], [40, 'now@a.example']);
    assert.ok(smtp.open.most <= 4, `${smtp.open.most} connections`);
    clock.now += hourMs + 1;
    outbox.wake();
    await until(() => outbox.stats().mail!.sent === 80);
    clock.now += 91 * dayMs;
    outbox.wake();
    await until(() => db.prepare('select count(*) from outbox where error is null').pluck().get() === 0);
  } finally {
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

test('a kind that is held or slow keeps no other, and a server that stops leaves its messages in line', async () => {
  const { db } = temporaryDatabase();
  const got: string[] = [];
  const rest = { retryMs: [1000], keepMs: dayMs };
  const kinds: OutboxKinds = {
    held: { ...rest, deliver: () => Promise.reject(new KindHeld('Not now.')) },
    slow: { ...rest, deliver: (_, signal) => once(signal, 'abort').then(() => Promise.reject(new Error('stopped'))) },
    quick: { ...rest, deliver: async ({ key }) => void got.push(key) },
  };
  const { outbox, store, clock } = begin(db, kinds);
  for (const kind of ['held', 'slow', 'quick'])
    for (let i = 0; i < 10; i++) store.add({ ...mailTo('x', `${kind}:${i}`), kind }, clock.now);
  outbox.wake();
  await until(() => got.length === 10);
  assert.is(outbox.stats().held!.failure, 'Not now.');
  await outbox.close();
  assert.equal(['held', 'slow', 'quick'].map(store.waiting), [10, 10, 0]);
  assert.is(db.prepare('select max(tries) from outbox').pluck().get(), 0);
  db.close();
});

test('a mail has its file attached, as long as the file is kept', async () => {
  const { db } = temporaryDatabase();
  const smtp = await startSmtp();
  const { outbox, store, clock } = begin(db, { mail: mailKind(settingsOf(smtp), outboxStore(db)) });
  try {
    const mail = mailTo('ada@a.example');
    for (const [key, content] of [
      ['kept', 'Section,Name\nPages,"ä,b"\n'],
      ['lost', 'x'],
    ] as const) {
      const digest = fileDigest(content);
      store.keepFile({ digest, content }, clock.now);
      store.add({ ...mail, key, body: { ...mail.body, attached: { name: 'shop.example.csv', digest } } }, clock.now);
    }
    db.prepare(`delete from outbox_file where content = 'x'`).run();
    outbox.wake();
    await until(() => store.waiting('mail') === 0);
    assert.is(smtp.mails.length, 2);
    const isWithFile = ({ raw }: TakenMail): boolean => /filename="?shop\.example\.csv/.test(raw);
    const [kept, lost] = smtp.mails.toSorted((a, b) => +isWithFile(b) - +isWithFile(a));
    assert.match(headerOf(kept!, 'Content-Type')!, /^multipart\/mixed/);
    assert.match(kept!.raw, /Content-Type: text\/csv; charset=utf-8/i);
    const encoded = /shop\.example\.csv[\s\S]*?\r?\n\r?\n([^-]+)/.exec(kept!.raw)![1]!;
    const text = Buffer.from(encoded, 'base64').toString();
    assert.ok(
      [text, encoded].some(each => each.includes('Section,Name')),
      encoded,
    );
    assert.match(headerOf(lost!, 'Content-Type')!, /^multipart\/alternative/);
  } finally {
    await Promise.all([outbox.close(), smtp.close()]);
    db.close();
  }
});

/** A mail that names a file. */
const mailWith = (digest: string, key: string) => {
  const mail = mailTo('ada@a.example', key);
  return { ...mail, body: { ...mail.body, attached: { name: 'shop.example.csv', digest } } };
};

test('a file stays while one of its mails waits, and goes once all have ended or its time is over', () => {
  const { db } = temporaryDatabase();
  const store = outboxStore(db);
  const left = (): unknown[] => db.prepare('select digest from outbox_file order by digest').pluck().all();
  for (const digest of ['a', 'b']) store.keepFile({ digest, content: digest }, start);
  for (const key of ['1', '2']) store.add(mailWith('a', key), start);
  store.add(mailWith('b', '3'), start);
  store.add(mailTo('bob@a.example'), start);
  const [first, second, third] = store.due('mail', start, 10);
  store.pruneFiles(start);
  assert.equal(left(), ['a', 'b']);
  store.sent(first!.id, start);
  store.failed(third!.id, 'refused', start);
  store.again(second!.id, 'later', start + hourMs);
  store.pruneFiles(start);
  assert.equal(left(), ['a'], 'one of two is tried again');
  store.sent(second!.id, start);
  store.pruneFiles(start);
  assert.equal(left(), []);

  store.keepFile({ digest: 'c', content: 'c' }, start);
  store.add(mailWith('c', '4'), start);
  store.pruneFiles(start + 7 * dayMs);
  assert.equal(left(), ['c']);
  store.pruneFiles(start + 7 * dayMs + 1);
  assert.equal(left(), []);
  db.close();
});

test('files go twenty at a time, and a look after the other takes them all', async () => {
  const { db } = temporaryDatabase();
  const { outbox, store, clock } = begin(db, { mail: mailWithoutServer });
  const count = db.prepare('select count(*) from outbox_file').pluck();
  try {
    for (let i = 0; i < 70; i++) store.keepFile({ digest: `${i}`, content: 'x' }, clock.now);
    store.add(mailWith('5', 'waits'), clock.now);
    assert.ok(store.pruneFiles(clock.now));
    assert.is(count.get(), 50);
    for (const left of [30, 10, 1]) {
      outbox.wake();
      await until(() => (count.get() as number) <= left);
      assert.ok((count.get() as number) >= 1);
    }
    assert.is(store.file('5'), 'x');
    assert.not.ok(store.pruneFiles(clock.now));
  } finally {
    await outbox.close();
    db.close();
  }
});

test.run();
