/** What surrounds the content of every page: header, footer and title. */
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { SiteContext, type SiteState, shownPages, useApp, useSite } from '../app-context.ts';
import { DocsLink } from '../parts/docs-link.tsx';
import { Tips } from '../parts/tips.tsx';
import { docsOf, type PageRoute, pageLabel, routeOf, type SitePage } from '../routes.ts';
import { t } from '../texts/text.ts';
import { RefreshContext, RefreshNowContext } from '../use-answer.ts';
import { PlaceNav, PlainHeader, SiteHeader } from './header.tsx';
import { StaleBanner, useRefreshTurn } from './refresh.tsx';
import { openShortcutHelp, Shortcuts } from './shortcuts.tsx';

/** A page that is not about a site. */
export const PlainPage = ({ title, content: Content }: { title: string; content: ComponentType }) => {
  useTitle(title);
  const { path } = useAddress();
  return (
    <>
      <SkipLink />
      <PlainHeader />
      <main class="main plain" id="main" tabIndex={-1}>
        <Boundary key={path}>
          <Content />
        </Boundary>
      </main>
      <Footer />
    </>
  );
};

type SiteRoute = Extract<PageRoute, { kind: 'site' | 'share' }>;

/** A page about a site; `missing` if there is no such site, or the viewer may not see it. */
export const SitePageFrame = ({
  route,
  content,
  missing,
}: {
  route: SiteRoute;
  content: ComponentType;
  missing: ComponentType;
}) => {
  const site = useSiteState(route);
  if (site === null || !shownPages(site).includes(route.page)) {
    return <PlainPage title={t('page.missing')} content={missing} />;
  }
  return (
    <SiteContext.Provider value={site}>
      <Framed page={route.page} content={content} />
    </SiteContext.Provider>
  );
};

const Framed = ({ page, content: Content }: { page: SitePage; content: ComponentType }) => {
  const { site } = useSite();
  const label = pageLabel(page);
  useTitle(`${site.domain} · ${label}`);
  const [turn, refresh] = useRefreshTurn();
  return (
    <RefreshContext.Provider value={turn}>
      <SkipLink />
      <SiteHeader page={page} />
      <main class="main" id="main" tabIndex={-1}>
        <h1 class="unseen">
          {site.domain}: {label}
        </h1>
        <PlaceNav page={page} />
        {site.isOfSegment && <p class="hint">{t('shell.ofSegment')}</p>}
        <Boundary key={`${site.id} ${page}`}>
          <RefreshNowContext.Provider value={refresh}>
            <Content />
          </RefreshNowContext.Provider>
        </Boundary>
      </main>
      <StaleBanner refresh={refresh} />
      <Footer hasShortcuts />
      <Shortcuts />
    </RefreshContext.Provider>
  );
};

/** The site that the address names by domain, id or public key. */
const useSiteState = (route: SiteRoute): SiteState | null => {
  const { me, share } = useApp();
  return useMemo(() => {
    const { base } = route;
    if (route.kind === 'share') return share === null ? null : { site: share.site, own: null, rights: new Set(), base };
    const own = me?.sites.find(({ id, domain, publicKey }) => [id, domain, publicKey].includes(route.site));
    const team = me?.teams.find(({ id }) => id === own?.team);
    return own === undefined ? null : { site: own, own, rights: new Set(team?.rights), base };
  }, [route, me, share]);
};

const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Daybook`;
  }, [title]);
};

/** The first stop of the keyboard: past the navigation. */
const SkipLink = () => (
  <a class="skip-link" href="#main">
    {t('shell.skip')}
  </a>
);

/** Where the geography comes from, the keys, and the tip of what the pointer is on. */
const Footer = ({ hasShortcuts = false }: { hasShortcuts?: boolean }) => {
  const { path } = useAddress();
  return (
    <footer class="footer">
      <a href="https://db-ip.com" rel="noreferrer">
        {t('shell.geolocation')}
      </a>
      <DocsLink href={docsOf(routeOf(path))} />
      {hasShortcuts && (
        <button type="button" class="link-button" onClick={openShortcutHelp}>
          {t('shell.shortcuts')} <kbd>?</kbd>
        </button>
      )}
      <Tips />
    </footer>
  );
};

interface BoundaryProps {
  children: ComponentChildren;
}

/** Catches an error of the app's own code: that part of the page says so, and the rest stays. */
class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    this.setState({ hasFailed: true });
    reportError(error);
  }

  override render({ children }: BoundaryProps) {
    if (!this.state.hasFailed) return children;
    return (
      <div class="failed" role="alert">
        <p>{t('shell.bug')}</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          {t('shell.reload')}
        </button>
      </div>
    );
  }
}
