/**
 * Who may see public pages: whoever has the address of a link that has not ended, and its password
 * where it has one. What a browser keeps of the password is for a day and for that link alone, and
 * needs nothing that is remembered: another password, address or day makes it void.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../api/auth.ts';
import { asTyped, field } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import { isDone } from '../http/reply.ts';
import { reasonOf } from '../log.ts';
import { publicGrant } from '../model/grant.ts';
import type { ShareLink } from '../model/share.ts';
import type { Site } from '../model/site.ts';
import { dayMs, minuteMs } from '../model/time.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { Shares } from '../store/shares.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { cookieOf, setCookie } from './cookies.ts';
import type { PasswordCheck } from './password-check.ts';
import { openPost } from './route.ts';
import type { DashboardWorld } from './world.ts';

export interface ShareDoorParts extends Omit<DashboardWorld, 'random'> {
  shares: Shares;
  accounts: Pick<Accounts, 'byId'>;
  directory: Pick<SiteDirectory, 'byId'>;
  check: Pick<PasswordCheck, 'opens'>;
}

/** A public page as somebody with its address sees it. */
export interface SharedPage {
  share: ShareLink;
  site: Site;
  /** False until they have given its password. */
  isOpen: boolean;
}

export type ShareDoor = ReturnType<typeof createShareDoor>;

const cookieMs = dayMs;
/** A stamp is a hint for the owner. */
const stampEveryMs = minuteMs;

export const createShareDoor = (parts: ShareDoorParts) => {
  const { shares, accounts, directory, check, addressOf, baseUrl, now, log } = parts;
  /** By id of a link, when its use was last noted. */
  const stamped = new Map<number, number>();

  const stamp = ({ id, lastUsedAt }: ShareLink): void => {
    if (now() < (stamped.get(id) ?? lastUsedAt ?? 0) + stampEveryMs) return;
    stamped.set(id, now());
    try {
      shares.stampUsed(id, now());
    } catch (error) {
      log('stamp-failed', { reason: reasonOf(error) });
    }
  };

  const named = (token: string): { share: ShareLink; site: Site } | undefined => {
    const share = shares.find(token);
    const site = share && directory.byId(share.siteId);
    if (site === undefined || (share!.expiresAt ?? Number.POSITIVE_INFINITY) <= now()) return undefined;
    return { share: share!, site };
  };

  /** Undefined for an address that no link has, or none any more. */
  const find = (request: IncomingMessage, token: string): SharedPage | undefined => {
    const found = named(token);
    if (found === undefined) return undefined;
    const isOpen = isOpened(found.share, cookieOf(request, cookieName(found.share), baseUrl), now());
    if (isOpen) stamp(found.share);
    return { ...found, isOpen };
  };

  return {
    find,
    /** `Authorization: Share <token>`, or `?share=<token>` in a link. */
    authenticate(request: IncomingMessage, share: string | null): Caller | undefined {
      const token = share ?? headerToken(request);
      const found = token === undefined ? undefined : find(request, token);
      const account = found?.isOpen === true ? accounts.byId(found.site.accountId) : undefined;
      return account && { account, grants: [publicGrant(account, found!.site, found!.share)], byKey: false };
    },
    /** Takes passwords. */
    routes: [
      openPost('/app/share', async ({ request, body, origin }) => {
        const found = named(field(body, 'token', asTyped));
        const record = found?.share.password ?? null;
        if (found === undefined || record === null) throw new HttpError('app-dead-link');
        const password = field(body, 'password', asTyped);
        const attempt = { shareId: found.share.id, record, password, address: addressOf(request) };
        if (!(await check.opens(attempt))) throw new HttpError('app-wrong-share-password', { field: 'password' });
        const value = opener(found.share, now() + cookieMs);
        return isDone({ 'set-cookie': setCookie(cookieName(found.share), value, cookieMs / 1000, origin) });
      }),
    ],
  };
};

const cookieName = ({ id }: ShareLink): string => `daybook-share-${id}`;

const headerToken = (request: IncomingMessage): string | undefined =>
  /^share\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

/**
 * What a browser keeps that has given the password. The record of it is a secret with a salt of its
 * own.
 */
const opener = ({ token, password }: ShareLink, endsAt: number): string =>
  `${endsAt}.${createHmac('sha256', password!).update(`${token} ${endsAt}`).digest('base64url')}`;

const isOpened = (share: ShareLink, given = '', now: number): boolean => {
  if (share.password === null) return true;
  const endsAt = Number(/^\d{1,15}(?=\.)/.exec(given)?.[0] ?? 0);
  const [own, asked] = [Buffer.from(opener(share, endsAt)), Buffer.from(given)];
  return endsAt > now && own.length === asked.length && timingSafeEqual(own, asked);
};
