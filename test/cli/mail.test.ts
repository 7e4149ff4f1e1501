import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';
import { smtpLogin, startSmtp, type TestSmtp } from '../outbox/smtp-server.ts';
import { runCommand } from './helpers.ts';

const envOf = ({ server }: TestSmtp): Record<string, string> => ({
  SMTP_URL: `smtp://${smtpLogin.user}:${encodeURIComponent(smtpLogin.password)}@127.0.0.1:${server.port}`,
  MAIL_FROM: 'Daybook <reports@stats.example>',
  SMTP_TLS: 'none',
});

test('mail test sends one mail and shows the talk without the password', async () => {
  const smtp = await startSmtp();
  try {
    const { code, stdout } = await runCommand(temporaryDir(), ['mail', 'test', 'ada@a.example'], { env: envOf(smtp) });
    assert.is(code, 0);
    for (const line of [
      /^> EHLO/m,
      /^< 250/m,
      /^> AUTH PLAIN/m,
      /^> RCPT TO:<ada@a\.example>/m,
      /took the mail to ada/,
    ])
      assert.match(stdout, line);
    for (const secret of [smtpLogin.password, Buffer.from(`\0ada\0${smtpLogin.password}`).toString('base64')])
      assert.not.ok(stdout.includes(secret));
    assert.equal(smtp.mails[0]!.to, ['ada@a.example']);

    smtp.faults.recipient = () => 550;
    const refused = await runCommand(temporaryDir(), ['mail', 'test', 'bob@a.example'], { env: envOf(smtp) });
    assert.is(refused.code, 1);
    assert.match(refused.stdout, /^< 550/m);
    assert.match(refused.stderr, /The mail was not taken: .*550/);
  } finally {
    await smtp.close();
  }
  const none = await runCommand(temporaryDir(), ['mail', 'test', 'ada@a.example']);
  assert.match(none.stderr, /No mail server is set: SMTP_URL\./);
});

test('doctor says whether the mail server lets us in', async () => {
  const { db, dataDir } = temporaryDatabase();
  db.close();
  const smtp = await startSmtp();
  const mailOf = async (env: Record<string, string> = {}) => {
    const { json } = await runCommand(dataDir, ['doctor', '--json'], { env });
    return (json() as { about: string; state: string; text: string }[]).find(({ about }) => about === 'mail')!;
  };
  try {
    assert.is((await mailOf()).text, 'none is sent: SMTP_URL names no server');
    assert.is((await mailOf(envOf(smtp))).state, 'good');
    smtp.faults.login = 535;
    const { state, text } = await mailOf(envOf(smtp));
    assert.is(state, 'bad');
    assert.match(text, /does not let us in: .*535/);
    assert.is(smtp.mails.length, 0);
  } finally {
    await smtp.close();
  }
});

test.run();
