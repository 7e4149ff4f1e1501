/** Mail, as a kind of message. */
import type { MailBody, MailSettings } from '../model/mail.ts';
import { dayMs, minuteMs } from '../model/time.ts';
import type { OutboxStore } from '../store/outbox.ts';
import { idOfKey, KindHeld, type OutboxKind } from './kinds.ts';
import type { SmtpWaits } from './smtp.ts';

const retryMs = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60].map(minutes => minutes * minuteMs);
const keepMs = 3 * dayMs;

/** The library of mail is loaded when the first one leaves. */
export const mailKind = (
  settings: MailSettings,
  { file: fileOf }: Pick<OutboxStore, 'file'>,
  waits: Partial<SmtpWaits> = {},
): OutboxKind => ({
  ...{ retryMs, keepMs, perHour: settings.perHour },
  async deliver({ key, target: to, body, createdAt }, signal) {
    const { sendMail } = await import('./smtp.ts');
    const { attached, ...mail } = body as MailBody;
    const content = attached && fileOf(attached.digest);
    const file = content === undefined ? {} : { file: { name: attached!.name, content } };
    await sendMail(settings, { ...mail, ...file, to, id: idOfKey(key), at: createdAt }, signal, { waits });
  },
});

/**
 * Where no server is set, what was written while one was waits for it, and is given up as all mail
 * is. Nobody writes any more.
 */
export const mailWithoutServer: OutboxKind = {
  ...{ retryMs, keepMs },
  deliver: () => Promise.reject(new KindHeld('No mail server is set: SMTP_URL.')),
};
