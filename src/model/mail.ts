/** Mail that leaves: by which server, from whom, and what it says. */

/**
 * - `required`: encrypted from the start or by STARTTLS, with a certificate that holds, or not at
 *   all. `opportunistic`: as the server can. `none`: in the clear.
 */
export const smtpTls = ['required', 'opportunistic', 'none'] as const;
export type SmtpTls = (typeof smtpTls)[number];

export interface SmtpServer {
  host: string;
  port: number;
  /** Encrypted from the start. */
  isSecure: boolean;
  /** Null for a server that asks for no login. */
  login: { user: string; password: string } | null;
}

export interface Mailbox {
  /** Empty where there is none. */
  name: string;
  address: string;
}

export interface MailSettings {
  server: SmtpServer;
  from: Mailbox;
  tls: SmtpTls;
  perHour: number;
}

/** What a message of mail holds; its target is the address. */
export interface MailBody {
  subject: string;
  text: string;
  html?: string;
  /** An address that ends the mail with a POST, and shows a page with a button (RFC 8058). */
  unsubscribeUrl?: string;
  /** A CSV file, by its digest in the outbox. */
  attached?: { name: string; digest: string };
}

export interface OutgoingMail extends Omit<MailBody, 'attached'> {
  to: string;
  /** Of type CSV. */
  file?: { name: string; content: string };
  /** Without the domain. The same for each try, so that mail that came twice looks like one. */
  id: string;
  /** UTC milliseconds. */
  at: number;
}
