/** A real SMTP server for tests, with faults on wish. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SmtpServer } from '../../src/model/mail.ts';

export interface TakenMail {
  from: string;
  to: string[];
  /** As it came, headers and all. */
  raw: string;
}

/** What a test server does to the next mails. Each is asked again for each mail. */
export interface SmtpFaults {
  /** Answers the login, the sender, a recipient or the whole mail with a code, such as 550. */
  login?: number;
  sender?: number;
  recipient?: (address: string) => number | undefined;
  mail?: number;
  /** Closes the connection once all of a mail is there. */
  atEnd?: 'drops';
  /** Says no more once all of a mail for an address is there. */
  hangsFor?: (address: string) => boolean;
}

export interface TestSmtp {
  server: SmtpServer;
  mails: TakenMail[];
  faults: SmtpFaults;
  /** Connections: open now, the most at once, all since the start, and whether the last mail came encrypted. */
  open: { now: number; most: number; all: number; isEncrypted: boolean };
  close(): Promise<void>;
}

const refusal = (code: number): Error => Object.assign(new Error(`Because of ${code}.`), { responseCode: code });

/** Login: ada, and a password that a URL has to escape. */
export const smtpLogin = { user: 'ada', password: 'p@ss:wörd/1' };

export const startSmtp = async (options: SMTPServerOptions = {}): Promise<TestSmtp> => {
  const faults: SmtpFaults = {};
  const mails: TakenMail[] = [];
  const open = { now: 0, most: 0, all: 0, isEncrypted: false };
  const smtp = new SMTPServer({
    ...{
      authOptional: true,
      disableReverseLookup: true,
      closeTimeout: 100,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
    },
    onConnect: (_, done) => {
      open.now++;
      open.all++;
      open.most = Math.max(open.most, open.now);
      done();
    },
    onClose: () => void open.now--,
    onAuth: ({ username, password }, _, done) => {
      const isRight = username === smtpLogin.user && password === smtpLogin.password;
      if (faults.login !== undefined || !isRight) done(refusal(faults.login ?? 535));
      else done(null, { user: username });
    },
    onMailFrom: (_, __, done) => done(faults.sender === undefined ? null : refusal(faults.sender)),
    onRcptTo: ({ address }, _, done) => {
      const code = faults.recipient?.(address);
      done(code === undefined ? null : refusal(code));
    },
    async onData(stream, { envelope, id, secure }, done) {
      open.isEncrypted = secure;
      const pieces: Buffer[] = [];
      try {
        for await (const piece of stream) pieces.push(piece as Buffer);
      } catch {
        return; // The sender was killed.
      }
      if (envelope.rcptTo.some(({ address }) => faults.hangsFor?.(address))) return;
      if (faults.atEnd === 'drops') {
        for (const connection of smtp.connections) if (connection.id === id) connection.close();
        return;
      }
      if (faults.mail !== undefined) return done(refusal(faults.mail));
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(pieces).toString() });
      done();
    },
    ...options,
  });
  smtp.on('error', () => {});
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  return {
    ...{ mails, faults, open },
    server: { host: '127.0.0.1', port, isSecure: options.secure === true, login: null },
    close: () => new Promise(resolve => smtp.close(() => resolve())),
  };
};

/** A header of a mail as it came, unfolded. */
export const headerOf = ({ raw }: TakenMail, name: string): string | undefined =>
  new RegExp(`^${name}:(.*(?:\\r\\n[ \\t].*)*)`, 'im')
    .exec(raw.split('\r\n\r\n')[0]!)?.[1]
    ?.replace(/\r\n[ \t]/g, ' ')
    .trim();

/** Its first part of plain text, decoded. */
export const textOf = ({ raw }: TakenMail): string => {
  const part = /Content-Type: text\/plain[\s\S]*?(?=\r\n--|$)/i.exec(raw)![0];
  const at = part.indexOf('\r\n\r\n');
  const [head, body] = [part.slice(0, at), part.slice(at + 4)];
  if (/base64/i.test(head) || /Content-Transfer-Encoding: base64/i.test(raw.slice(0, raw.indexOf(part))))
    return Buffer.from(body, 'base64').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return (/quoted-printable/i.test(head) ? Buffer.from(bytes, 'latin1').toString() : body).replaceAll('\r\n', '\n');
};
