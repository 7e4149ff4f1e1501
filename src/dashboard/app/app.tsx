/** Shows the page that the address names, to whoever looks. */
import type { ComponentType } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Me, State } from '../wire.ts';
import { useAddress } from './address.tsx';
import { AppContext, type AppState } from './app-context.ts';
import { createClient } from './client.ts';
import { Overview } from './overview/overview.tsx';
import { lazy } from './parts/lazy.tsx';
import { SkeletonRows } from './parts/states.tsx';
import { Tips } from './parts/tips.tsx';
import { type Route, routeOf, type SitePage } from './routes.ts';
import { PlainPage, SitePageFrame } from './shell/pages.tsx';

const page = (load: () => Promise<ComponentType>): ComponentType => lazy(load, <SkeletonRows />);

/** Everything but a site's first page is fetched when it is gone to. */
const sitePageComponents: Record<SitePage, ComponentType> = {
  '': Overview,
  events: page(async () => (await import('./events/events-page.tsx')).EventsPage),
  visits: page(async () => (await import('./visits/visits-page.tsx')).VisitsPage),
  realtime: page(async () => (await import('./realtime/realtime-page.tsx')).RealtimePage),
  vitals: page(async () => (await import('./vitals/vitals-page.tsx')).VitalsPage),
  crawlers: page(async () => (await import('./crawlers/crawlers-page.tsx')).CrawlersPage),
  health: page(async () => (await import('./health/health-page.tsx')).HealthPage),
  settings: page(async () => (await import('./settings/site-settings.tsx')).SiteSettings),
};
const SignIn = page(async () => (await import('./entry/sign-in.tsx')).SignIn);
const LinkPage = page(async () => (await import('./entry/link-page.tsx')).LinkPage);
const Sites = page(async () => (await import('./entry/sites-page.tsx')).SitesPage);
const AddSitePage = page(async () => (await import('./entry/add-site.tsx')).AddSitePage);
const AccountSettings = page(async () => (await import('./settings/account-settings.tsx')).AccountSettings);

interface AppProps {
  state: State;
  now: () => number;
}

export const App = ({ state, now }: AppProps) => {
  const { path } = useAddress();
  const route = useMemo(() => routeOf(path), [path]);
  const app = useAppState(state, now, route);
  return (
    <AppContext.Provider value={app}>
      <Page route={route} />
      <Tips />
    </AppContext.Provider>
  );
};

const useAppState = (state: State, now: () => number, route: Route): AppState => {
  const { go } = useAddress();
  const [me, setMe] = useState(state.me);
  const token = route.kind === 'share' ? decodeURIComponent(route.base.slice('/share/'.length)) : null;

  const client = useMemo(
    () =>
      createClient({
        shareToken: token,
        onSignedOut: () => go(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`),
      }),
    [token, go],
  );
  const signIn = useCallback(
    (next: Me | null) => {
      client.forget();
      setMe(next);
    },
    [client],
  );
  const setSite = useCallback<AppState['setSite']>(
    (id, site) => {
      client.forget();
      setMe(last => {
        if (last === null) return null;
        const sites = [...last.sites.filter(each => each.id !== id), ...(site === null ? [] : [site])];
        return { ...last, sites: sites.sort((a, b) => (a.domain < b.domain ? -1 : 1)) };
      });
    },
    [client],
  );
  return useMemo(() => {
    const share = token === null || state.share === null ? null : { site: state.share, token };
    return { me: share === null ? me : null, share, client, now, setMe: signIn, setSite };
  }, [me, state, client, now, token, signIn, setSite]);
};

const Page = ({ route }: { route: Route }) => {
  switch (route.kind) {
    case 'site':
    case 'share':
      return <SitePageFrame route={route} content={sitePageComponents[route.page]} missing={Missing} />;
    case 'sites':
      return <PlainPage title="Sites" content={Sites} />;
    case 'sign-in':
      return <PlainPage title="Sign in" content={SignIn} />;
    case 'first-run':
      return <PlainPage title="Welcome" content={LinkPage} />;
    case 'set-password':
      return <PlainPage title="Set a password" content={LinkPage} />;
    case 'add-site':
      return <PlainPage title="Add a site" content={AddSitePage} />;
    case 'settings':
      return <PlainPage title="Account" content={AccountSettings} />;
    case 'unknown':
      return <PlainPage title="No such page" content={Missing} />;
  }
};

const Missing = () => (
  <div class="notice">
    <h1>There is nothing here</h1>
    <p>The page does not exist, or it is no longer public.</p>
    <p>
      <a href="/">To the first page</a>
    </p>
  </div>
);
