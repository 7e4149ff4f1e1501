/** Mail, as a kind of message. */
import { createHash } from 'node:crypto';
import type { MailBody, MailSettings } from '../model/mail.ts';
import { dayMs, minuteMs } from '../model/time.ts';
import type { OutboxKind } from './kinds.ts';
import type { SmtpWaits } from './smtp.ts';

const retryMs = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60].map(minutes => minutes * minuteMs);
const keepMs = 3 * dayMs;

/** The library of mail is loaded when the first one leaves. */
export const mailKind = (settings: MailSettings, waits: Partial<SmtpWaits> = {}): OutboxKind => ({
  ...{ retryMs, keepMs, perHour: settings.perHour },
  async deliver({ key, target: to, body, createdAt }, signal) {
    const { sendMail } = await import('./smtp.ts');
    const id = createHash('sha256').update(key).digest('hex').slice(0, 32);
    await sendMail(settings, { ...(body as MailBody), to, id, at: createdAt }, signal, { waits });
  },
});
