/** The pages: all are the same shell, and some redirect (wire.ts lists their paths). */
import type { Reply } from '../http/reply.ts';
import type { Language } from '../model/locale.ts';
import type { Site } from '../model/site.ts';
import { sitePages } from '../model/site-pages.ts';
import { acceptedLanguage } from './accepted-language.ts';
import { readableSites } from './allow.ts';
import type { ShellAssets } from './assets.ts';
import { embeddedHeaders, pageHeaders } from './page-headers.ts';
import type { AppParts } from './parts.ts';
import { type Call, type DashboardRoute, personTurn } from './route.ts';
import type { ShareDoor } from './share-door.ts';
import { shellPage } from './shell.ts';
import { sharedPageView } from './views.ts';
import type { SignInWays, State } from './wire.ts';

export interface Pages {
  routes: DashboardRoute[];
  /** The page of every other path. */
  missing: DashboardRoute;
}

export const createPages = (
  { credentials, directory, sessions, views, ways }: AppParts,
  door: ShareDoor,
  assets: ShellAssets,
): Pages => {
  const shell = (call: Call, status: number): Reply => {
    const { origin, request } = call;
    const login = call.login();
    const me = login === undefined ? null : views.me(login, origin);
    const state: State = { language: languageOf(request), me, share: null, ways };
    return shellPage(status, state, assets, login && { 'set-cookie': sessions.keep(login.token, origin) });
  };
  const show = (call: Call): Reply => shell(call, 200);
  const missing = (call: Call): Reply => shell(call, 404);
  const signInPath = (): string => (credentials.any() ? '/sign-in' : '/first-run');

  const home = (call: Call): Reply => {
    const login = call.login();
    if (login === undefined) return redirect(signInPath());
    const [only, ...others] = readableSites(login, directory);
    return only !== undefined && others.length === 0
      ? redirect(`/sites/${encodeURIComponent(only.domain)}`)
      : show(call);
  };

  const signIn = (call: Call): Reply => {
    if (call.login() !== undefined) return redirect('/');
    return credentials.any() ? show(call) : redirect(signInPath());
  };

  const signedIn = (call: Call): Reply => {
    const { request, parameters } = call;
    const login = call.login();
    if (login === undefined) return redirect(signInFor(request.url ?? '/'));
    const { site } = parameters;
    if (site === undefined) return show(call);
    return isNamed(site, readableSites(login, directory)) && isPage(request) ? show(call) : missing(call);
  };

  return {
    routes: [
      page('/', home),
      page('/sign-in/*', signIn),
      page('/first-run/*', show),
      page('/set-password/*', show),
      page('/invitation/*', show),
      page('/mute', show),
      page('/sites/:site/*', signedIn),
      page('/sites/*', signedIn),
      page('/settings/*', signedIn),
      page('/oauth/authorize', signedIn),
      ...sharedPages(door, assets),
    ],
    missing: page('/*', missing),
  };
};

/** The public pages. Nobody is signed in on them: their owner sees what everybody sees. */
export const sharedPages = (door: ShareDoor, assets: ShellAssets): DashboardRoute[] => {
  const shared = ({ parameters, request }: Call): Reply => {
    const page = door.find(request, parameters.token ?? '');
    const share = page?.isOpen === true ? sharedPageView(page) : null;
    const isLocked = page?.isOpen === false;
    const state: State = {
      language: languageOf(request),
      me: null,
      share,
      ...(isLocked && { isLocked }),
      ways: noWays,
    };
    const headers = page && embeddedHeaders(page.site.embedHosts);
    return shellPage(page === undefined ? 404 : 200, state, assets, headers);
  };
  return [page('/share/:token/*', shared), page('/share/*', shared)];
};

const noWays: SignInWays = { password: false, passkey: false, provider: null };

const languageOf = (request: Call['request']): Language => acceptedLanguage(request.headers['accept-language']);

/** Whoever is signed in takes a turn: the page holds all sites of the person. */
const page = (path: string, answer: (call: Call) => Reply): DashboardRoute => ({
  method: 'GET',
  path,
  right: 'anybody',
  async answer(call) {
    const login = call.login();
    if (login !== undefined) await personTurn(login);
    return answer(call);
  },
});

/** No page of ours has a longer address, and three times as long is too much for some clients. */
const nextCharsMax = 2000;

/** Sign in, and then go on to an address. */
const signInFor = (next: string): string =>
  next.length > nextCharsMax ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;

/** Whether the address is that of one of a site's pages: `/sites/example.com/visits`. */
const isPage = ({ url = '' }: Call['request']): boolean => {
  const [, , , name = '', ...more] = url.replace(/\?.*/, '').split('/');
  return Object.hasOwn(sitePages, name) && more.length === 0;
};

const isNamed = (name: string, sites: readonly Site[]): boolean =>
  sites.some(({ domain, uuid, publicKey }) => [domain, uuid, publicKey].includes(name));

const redirect = (location: string): Reply => ({ status: 302, headers: { location, ...pageHeaders }, body: '' });
