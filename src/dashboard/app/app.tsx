/** Shows the page that the address names. */
import type { ComponentType } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Me, ProofWay, State } from '../wire.ts';
import { useAddress } from './address.tsx';
import { adoptLocale } from './adopt-locale.ts';
import { AppContext, type AppState, useApp } from './app-context.ts';
import { createClient } from './client.ts';
import type { ProofDialogProps } from './entry/proof-dialog.tsx';
import { createFreshness } from './freshness.ts';
import { Overview } from './overview/overview.tsx';
import { lazy } from './parts/lazy.tsx';
import { SkeletonRows } from './parts/states.tsx';
import { formPages, numberPages, stepPages } from './pieces.ts';
import { type PageRoute, routeOf, type SitePage, shareTokenOf } from './routes.ts';
import { PlainPage, SitePageFrame } from './shell/pages.tsx';
import { t } from './texts/text.ts';

const page = (load: () => Promise<ComponentType>): ComponentType => lazy(load, <SkeletonRows />);
const numbers = (name: keyof typeof import('./site-pages.ts').sitePageComponents): ComponentType =>
  page(async () => (await numberPages()).sitePageComponents[name]);

/** Every page but a site's first is fetched when somebody opens it. */
const sitePageComponents: Record<SitePage, ComponentType> = {
  '': Overview,
  events: numbers('events'),
  funnels: page(async () => (await stepPages()).FunnelsPage),
  journeys: page(async () => (await stepPages()).JourneysPage),
  visits: numbers('visits'),
  realtime: numbers('realtime'),
  vitals: numbers('vitals'),
  crawlers: numbers('crawlers'),
  failures: numbers('failures'),
  health: numbers('health'),
  settings: page(async () => (await formPages()).SiteSettings),
};
const SignIn = page(async () => (await formPages()).SignIn);
const LinkPage = page(async () => (await formPages()).LinkPage);
const InvitationPage = page(async () => (await formPages()).InvitationPage);
const MutePage = page(async () => (await formPages()).MutePage);
const Sites = page(async () => (await formPages()).SitesPage);
const AddSitePage = page(async () => (await formPages()).AddSitePage);
const AuthorizePage = page(async () => (await formPages()).AuthorizePage);
const NeedsFactor = page(async () => (await formPages()).NeedsFactor);
const SharePassword = page(async () => (await formPages()).SharePassword);
const ProofDialog = lazy<ProofDialogProps>(async () => (await formPages()).ProofDialog, null);
const AccountSettings = page(async () => (await formPages()).AccountSettings);

interface AppProps {
  state: State;
  now: () => number;
}

export const App = ({ state, now }: AppProps) => {
  const { path } = useAddress();
  const route = useMemo(() => routeOf(path), [path]);
  const proof = useProof();
  const app = useAppState(state, now, path, proof.ask);
  return (
    <AppContext.Provider value={app}>
      <Page route={route} isLocked={state.isLocked === true} />
      {proof.asked !== null && <ProofDialog {...proof.asked} />}
    </AppContext.Provider>
  );
};

/** Asks one proof at a time, in a dialog over the page. */
const useProof = () => {
  const [asked, setAsked] = useState<ProofDialogProps | null>(null);
  const ask = useCallback(
    (ways: readonly ProofWay[]) =>
      new Promise<boolean>(resolve => {
        const onEnd = (isProved: boolean): void => {
          setAsked(null);
          resolve(isProved);
        };
        setAsked({ ways, onEnd });
      }),
    [],
  );
  return { asked, ask };
};

const useAppState = (
  state: State,
  now: () => number,
  path: string,
  onProof: (ways: readonly ProofWay[]) => Promise<boolean>,
): AppState => {
  const { go } = useAddress();
  const [me, setMe] = useState(state.me);
  const token = shareTokenOf(path);

  const client = useMemo(
    () =>
      createClient({
        shareToken: token,
        now,
        onProof,
        onSignedOut() {
          // Several answers may say so at once.
          if (routeOf(location.pathname).kind === 'sign-in') return;
          const next = encodeURIComponent(location.pathname + location.search);
          setMe(null);
          go(`/sign-in?ended=1&next=${next}`, { replace: true });
        },
      }),
    [token, go, now, onProof],
  );
  const freshness = useMemo(createFreshness, []);
  const signIn = useCallback(
    async (next: Me | null) => {
      await adoptLocale(state.language, next);
      client.forget();
      setMe(next);
    },
    [client, state],
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
    return { me: share === null ? me : null, share, ways: state.ways, client, freshness, now, setMe: signIn, setSite };
  }, [me, state, client, freshness, now, token, signIn, setSite]);
};

const Page = ({ route, isLocked }: { route: PageRoute; isLocked: boolean }) => {
  const { me } = useApp();
  if (isLocked && route.kind === 'share') return <PlainPage title={t('page.share')} content={SharePassword} />;
  if (me?.lacksFactor && route.kind !== 'settings') return <PlainPage title={t('page.factor')} content={NeedsFactor} />;
  switch (route.kind) {
    case 'site':
    case 'share':
      return <SitePageFrame route={route} content={sitePageComponents[route.page]} missing={Missing} />;
    case 'sites':
      return <PlainPage title={t('page.sites')} content={Sites} />;
    case 'sign-in':
      return <PlainPage title={t('page.signIn')} content={SignIn} />;
    case 'first-run':
      return <PlainPage title={t('page.welcome')} content={LinkPage} />;
    case 'set-password':
      return <PlainPage title={t('page.setPassword')} content={LinkPage} />;
    case 'mute':
      return <PlainPage title={t('page.mute')} content={MutePage} />;
    case 'invitation':
      return <PlainPage title={t('page.invitation')} content={InvitationPage} />;
    case 'add-site':
      return <PlainPage title={t('page.addSite')} content={AddSitePage} />;
    case 'authorize':
      return <PlainPage title={t('page.authorize')} content={AuthorizePage} />;
    case 'settings':
      return <PlainPage title={t('page.account')} content={AccountSettings} />;
    case 'unknown':
      return <PlainPage title={t('page.missing')} content={Missing} />;
  }
};

const Missing = () => (
  <div class="entry">
    <h1>{t('page.missing')}</h1>
    <p>{t('page.missing.note')}</p>
    <p>
      <a href="/">{t('page.missing.back')}</a>
    </p>
  </div>
);
