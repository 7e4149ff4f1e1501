/** The pages: the same shell for each, and who is sent elsewhere (the list of paths stands in wire.ts). */
import type { Reply } from '../api/reply.ts';
import type { Site } from '../model/site.ts';
import type { CredentialStore } from '../store/accounts/credentials.ts';
import type { SiteDirectory, Sites } from '../store/sites.ts';
import type { ShellAssets } from './assets.ts';
import { setCookie } from './cookie.ts';
import type { Login } from './endpoint.ts';
import { pageHeaders, shellPage } from './shell.ts';
import { sharedSiteView, type Views } from './views.ts';
import type { State } from './wire.ts';

export interface PageParts {
  credentials: CredentialStore;
  directory: SiteDirectory;
  sites: Sites;
  views: Views;
  assets: ShellAssets;
}

export interface PageCall {
  path: string;
  /** As it stands in the address, with its `?`; empty where there is none. */
  search: string;
  origin: string;
  login: Login | undefined;
}

export interface Pages {
  has(path: string): boolean;
  /** Any path: one that is no page's is answered with the shell too, and 404. */
  answer(call: PageCall): Reply;
}

export const createPages = ({ credentials, directory, sites, views, assets }: PageParts): Pages => {
  const shell = ({ login, origin }: PageCall, status: number, share: State['share'] = null): Reply =>
    shellPage(
      status,
      { me: login === undefined ? null : views.me(login.account, origin), share },
      assets,
      login === undefined ? {} : { 'set-cookie': setCookie(login.token, origin) },
    );
  const page = (call: PageCall): Reply => shell(call, 200);
  const missing = (call: PageCall): Reply => shell(call, 404);
  const signInPath = (): string => (credentials.any() ? '/sign-in' : '/first-run');

  const home = (call: PageCall): Reply => {
    if (call.login === undefined) return redirect(signInPath());
    const [only, ...others] = directory.ofAccount(call.login.account.id);
    return only !== undefined && others.length === 0 ? redirect(`/sites/${only.domain}`) : page(call);
  };

  const signIn = (call: PageCall): Reply => {
    if (call.login !== undefined) return redirect('/');
    return credentials.any() ? page(call) : redirect(signInPath());
  };

  const signedIn = (call: PageCall): Reply => {
    const { path, search, login } = call;
    if (login === undefined) return redirect(`/sign-in?next=${encodeURIComponent(path + search)}`);
    const [, group, name] = path.split('/');
    const exists = group !== 'sites' || name === undefined || siteNamed(directory.ofAccount(login.account.id), name);
    return exists ? page(call) : missing(call);
  };

  const shared = (call: PageCall): Reply => {
    const siteId = sites.shared(call.path.split('/')[2] ?? '');
    const site = siteId === undefined ? undefined : directory.byId(siteId);
    // Nobody is signed in on a public page: its owner sees what everybody sees.
    const stranger = { ...call, login: undefined };
    return site === undefined ? missing(stranger) : shell(stranger, 200, sharedSiteView(site));
  };

  const byFirstSegment = new Map<string, (call: PageCall) => Reply>([
    ['', home],
    ['sign-in', signIn],
    ['first-run', page],
    ['set-password', page],
    ['sites', signedIn],
    ['settings', signedIn],
    ['share', shared],
  ]);
  return {
    has: path => byFirstSegment.has(firstSegment(path)),
    answer: call => (byFirstSegment.get(firstSegment(call.path)) ?? missing)(call),
  };
};

const firstSegment = (path: string): string => path.split('/')[1]!;

const siteNamed = (sites: readonly Site[], name: string): boolean =>
  sites.some(({ domain, uuid, publicKey }) => [domain, uuid, publicKey].includes(name));

const redirect = (location: string): Reply => ({ status: 302, headers: { location, ...pageHeaders }, body: '' });
