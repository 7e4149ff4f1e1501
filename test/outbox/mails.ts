/** Mails to send, and to which server. */
import { setTimeout as wait } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { MailSettings } from '../../src/model/mail.ts';
import type { TestSmtp } from './smtp-server.ts';

export const start = Date.UTC(2026, 10, 16, 8);

export const settingsOf = (smtp: TestSmtp, given: Partial<MailSettings> = {}): MailSettings => ({
  server: smtp.server,
  from: { name: 'Daybook', address: 'reports@stats.example' },
  ...{ tls: 'none', perHour: 500 },
  ...given,
});

export const mailTo = (target: string, key = `test:${target}`) => ({
  ...{ key, kind: 'mail', accountId: null, target },
  body: { subject: 'Hello', text: 'A text.\n', html: '<p>A text.</p>', unsubscribeUrl: 'https://stats.example/mail/x' },
});

export const until = async (holds: () => boolean): Promise<void> => {
  for (let i = 0; i < 3000 && !holds(); i++) await wait(10);
  assert.ok(holds());
};
