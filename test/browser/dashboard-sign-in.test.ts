/** Passkeys by Chromium's virtual authenticator, an authenticator app by its codes, and proof in a dialog. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { CDPSession, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { totpCode } from '../../src/dashboard/factors/totp.ts';
import { email, openStage, password, settled } from './dashboard.ts';

/** Passkeys belong to a host that the settings name, with its port. */
const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>(resolve => server.close(() => resolve()));
  return port;
};
const port = await freePort();
const origin = `http://localhost:${port}`;

/** A device that always says yes, with the passkeys of another one. */
const withDevice = async (page: Page, credentials: object[] = []) => {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  for (const credential of credentials)
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: credential as never });
  return async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
};

const stage = await openStage({
  demo: { days: 2, hits: 50 },
  flags: { port: String(port), 'base-url': origin },
  keepsPages: false,
});
if (stage !== null) {
  const { open, clock } = stage;
  const settings = (): Promise<Page> => open('/settings?_section=sign-in', { origin, tolerated: /status of 40[03]/ });
  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const signInPage = async (): Promise<Page> =>
    open('/sign-in', { origin, isStranger: true, tolerated: /status of 40\d/ });
  const isIn = (page: Page): Promise<void> => page.waitForURL(url => url.pathname !== '/sign-in');
  let device: object[] = [];

  stage.test('a passkey is added, and signs in by the button and in the field of the e-mail', async () => {
    const page = await settings();
    const credentialsOf = await withDevice(page);
    const part = section(page, 'Passkeys');
    await part.getByRole('button', { name: 'Add a passkey' }).click();
    await part.getByRole('row', { name: /Chrome, Linux/ }).waitFor();
    device = await credentialsOf();
    assert.is(device.length, 1);

    const asked = await signInPage();
    await asked.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    const usedOf = await withDevice(asked, device);
    await asked.reload();
    await asked.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await isIn(asked);
    device = await usedOf();

    const offered = await signInPage();
    const offeredOf = await withDevice(offered, device);
    await offered.reload();
    await isIn(offered);
    const copied = device;
    device = await offeredOf();

    // The device before it was used: a copy of it.
    const thief = await signInPage();
    await thief.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await withDevice(thief, copied);
    await thief.reload();
    await thief.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await thief.getByText('This passkey does not fit.').waitFor();
    assert.is(new URL(thief.url()).pathname, '/sign-in');
  });

  stage.test('a browser without a passkey says so and leaves the password', async () => {
    const page = await signInPage();
    await withDevice(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The browser used no passkey.').waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await isIn(page);
  });

  stage.test('where an open screen is not enough, a dialog asks for proof, and what was wanted goes on', async () => {
    const page = await settings();
    clock.now += 11 * 60_000;
    await section(page, 'Authenticator app').getByRole('button', { name: 'Set up an app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.getByLabel('Password').fill('wrong horse');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('This is not your current password.').waitFor();
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const part = section(page, 'Authenticator app');
    await part.getByRole('img', { name: 'Code for the app' }).waitFor();

    const secret = await part.getByLabel('Secret to type into the app').inputValue();
    const bits = [...secret].map(letter =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    );
    const key = Buffer.from(
      bits
        .join('')
        .match(/.{8}/g)!
        .map(byte => Number.parseInt(byte, 2)),
    );
    const code = (): string => totpCode(key, Math.floor(clock.now / 30_000));
    await part.getByLabel('Code', { exact: true }).fill(code());
    await part.getByRole('button', { name: 'Turn on' }).click();
    await part.getByText('It is on. 10 recovery codes are left.').waitFor();
    const codes = (await part.getByLabel('Recovery codes').inputValue()).split('\n');
    assert.is(codes.length, 10);
    await settled(page);

    const other = await signInPage();
    const enter = async (typed: string): Promise<void> => {
      await other.getByLabel('Code').fill(typed);
      await other.getByRole('button', { name: 'Sign in' }).click();
    };
    await other.getByLabel('E-mail').fill(email);
    await other.getByLabel('Password').fill(password);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await enter(code());
    await other.getByText('This code is wrong, or was used before.').waitFor();
    await enter(codes[0]!);
    await isIn(other);

    // The proof has given this browser another cookie.
    await page.reload();
    await settled(page);
    const logins = section(page, 'Where you are signed in');
    await logins.getByRole('row').nth(3).waitFor();
    await logins.getByRole('button', { name: 'End all others' }).click();
    await logins.getByRole('row').nth(2).waitFor({ state: 'detached' });
    assert.is(await logins.getByRole('row').count(), 2, 'the head and this browser');
    await other.goto(`${origin}/settings`);
    await other.waitForURL(/sign-in/);
  });
}

test.run();
