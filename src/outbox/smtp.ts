/**
 * Speaks SMTP. The library takes a megabyte or so, and this file is loaded when the first mail
 * leaves.
 */
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import type { MailSettings, OutgoingMail } from '../model/mail.ts';
import { KindHeld, MessageRefused } from './kinds.ts';

/** What the library says of its talk with the server: `tnx` is client, server, send and so on. */
export type SmtpListener = (entry: { tnx?: string }, line: string) => void;

/** How long a server may take, in milliseconds. */
export interface SmtpWaits {
  /** To be found, to be connected with, and to speak first. */
  connectMs: number;
  /** Without a word. */
  silentMs: number;
  /** For a mail from beginning to end. */
  mailMs: number;
}
const usualWaits: SmtpWaits = { connectMs: 10_000, silentMs: 30_000, mailMs: 90_000 };

const optionsOf = ({ server, tls }: MailSettings, { connectMs, silentMs }: SmtpWaits): SMTPTransportOptions => ({
  host: server.host,
  port: server.port,
  secure: server.isSecure,
  ...(server.login && { auth: { user: server.login.user, pass: server.login.password } }),
  ...(tls === 'required' && { requireTLS: true }),
  ...(tls === 'none' && { ignoreTLS: true }),
  // Whoever could forge a certificate could also leave out STARTTLS.
  ...(tls === 'opportunistic' && { opportunisticTLS: true, tls: { rejectUnauthorized: false } }),
  ...{ connectionTimeout: connectMs, greetingTimeout: connectMs, dnsTimeout: connectMs, socketTimeout: silentMs },
  ...{ disableFileAccess: true, disableUrlAccess: true },
});

const transportOf = (settings: MailSettings, waits: SmtpWaits, listen: SmtpListener) => {
  const hear = (entry: { tnx?: string }, line = '', ...values: unknown[]): void =>
    listen(
      entry,
      line.replace(/%[sd]/g, () => String(values.shift() ?? '')),
    );
  const logger = { trace: hear, debug: hear, info: hear, warn: hear, error: hear, fatal: hear };
  return createTransport({ ...optionsOf(settings, waits), logger, transactionLog: true });
};

/**
 * Sends one mail. Rejects with KindHeld where the server cannot be reached, asks for another login
 * or does not let us send at all; with MessageRefused where it will never take this one.
 */
export const sendMail = async (
  settings: MailSettings,
  { to, subject, text, html, unsubscribeUrl, file, id, at }: OutgoingMail,
  stop: AbortSignal,
  { listen = () => {}, waits: given = {} }: { listen?: SmtpListener; waits?: Partial<SmtpWaits> } = {},
): Promise<void> => {
  const waits = { ...usualWaits, ...given };
  let isTalkedAbout = false;
  const transport = transportOf(settings, waits, (entry, line) => {
    isTalkedAbout ||= entry.tnx === 'send';
    listen(entry, line);
  });
  const { from } = settings;
  try {
    await transport.sendMail({
      from,
      // As a text it would be taken apart at commas.
      to: { name: '', address: to },
      ...{ subject, text, date: new Date(at), messageId: `<${id}@${from.address.split('@').at(-1)}>` },
      ...(html !== undefined && { html }),
      ...(file && {
        attachments: [{ filename: file.name, content: file.content, contentType: 'text/csv; charset=utf-8' }],
      }),
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribeUrl !== undefined && {
          'List-Unsubscribe': `<${unsubscribeUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          Precedence: 'bulk',
        }),
      },
      signal: AbortSignal.any([stop, AbortSignal.timeout(waits.mailMs)]),
    });
  } catch (error) {
    const { message, responseCode = 0, command } = error as Error & { responseCode?: number; command?: string };
    // What fails before the mail is spoken of would fail for every mail, and so would its sender.
    if (!isTalkedAbout || (command === 'MAIL FROM' && responseCode >= 500)) throw new KindHeld(message);
    if (responseCode >= 500) throw new MessageRefused(message);
    throw error;
  } finally {
    transport.close();
  }
};

/** Connects, logs in and leaves. Rejects with an Error that says what went wrong. */
export const verifyLogin = async (settings: MailSettings): Promise<void> => {
  const transport = transportOf(settings, usualWaits, () => {});
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
};
