/** `daybook mail test`: sends one mail at once, and shows what is said. */
import { mailOf, readConfig } from '../config.ts';
import { reasonOf } from '../log.ts';
import { emailOf } from '../model/values.ts';
import { CommandError, command } from './command.ts';
import { settingFlags } from './flags.ts';

export const mailTest = command({
  name: 'mail test',
  operands: { ADDRESS: emailOf },
  flags: settingFlags(['mailFrom', 'smtpTls']),
  summary: 'Send a mail to see whether mail leaves',
  details: 'It goes by SMTP_URL at once. What the two servers say to each other is shown, without the password.',
  database: 'none',
  run: async ({ env, now, random }, { operands: { ADDRESS: to }, flags }) => {
    const settings = mailOf(readConfig(env, flags));
    if (settings === null) throw new CommandError('No mail server is set: SMTP_URL.');
    const { sendMail } = await import('../outbox/smtp.ts');
    const said: string[] = [];
    const signs: Readonly<Record<string, string>> = { client: '>', server: '<' };
    const listen = ({ tnx = '' }: { tnx?: string }, line: string): void => {
      for (const each of line.split(/\r?\n/)) if (each !== '') said.push(`${signs[tnx] ?? '#'} ${each}`);
    };
    const mail = {
      ...{ to, id: random(16).toString('hex'), at: now() },
      subject: 'A mail from Daybook',
      text: 'Mail leaves this server. Somebody ran “daybook mail test” on it.\n',
    };
    const failure = await sendMail(settings, mail, new AbortController().signal, { listen }).then(
      () => undefined,
      error => `The mail was not taken: ${reasonOf(error)}`,
    );
    return {
      json: { to, isSent: failure === undefined, said },
      text: [...said, ...(failure === undefined ? ['', `The server took the mail to ${to}.`] : [])].join('\n'),
      failure,
    };
  },
});
