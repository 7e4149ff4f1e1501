/**
 * The top of every page: the site, its places, how many people are on it, and the account.
 */

import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { sitePages, sitePlaces } from '../../../model/site-pages.ts';
import { useAddress } from '../address.tsx';
import { shownPages, useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Icon } from '../parts/icon.tsx';
import { useInterval } from '../parts/use-interval.ts';
import { carriedSearch } from '../question.ts';
import { docsOf, pageLabel, pagePath, routeOf, type SitePage, sitePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { RefreshContext, useAnswer } from '../use-answer.ts';
import { ThemeButton } from './theme.tsx';

const Brand = () => (
  <a class="brand" href="/" aria-label="Daybook">
    <svg viewBox="0 0 20 20" width="24" height="24" aria-hidden="true">
      <path class="brand-page" d="M4 1.5h10a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2H4z" />
      <path class="brand-ribbon" d="M10.5 1.5h3v7.5L12 7.5 10.5 9z" />
      <path class="brand-rule" d="M6.5 12.5h6.5M6.5 15.5h4.5" />
    </svg>
    <span>Daybook</span>
  </a>
);

export const SiteHeader = ({ page }: { page: SitePage }) => {
  const { me } = useApp();
  const { site, own } = useSite();
  return (
    <header class="header">
      <div class="header-row">
        {me === null ? <span class="brand-of-shared">{site.domain}</span> : <Brand />}
        {me !== null && <SiteSwitch page={page} />}
        <SiteNav page={page} />
        <span class="header-gap" />
        <Live />
        <DocsButton />
        <ThemeButton />
        {own !== null && <AccountLink />}
      </div>
    </header>
  );
};

/** The top of pages that are not about a site. */
export const PlainHeader = () => {
  const { me } = useApp();
  return (
    <header class="header">
      <div class="header-row">
        <Brand />
        <span class="header-gap" />
        <DocsButton />
        <ThemeButton />
        {me !== null && <AccountLink />}
      </div>
    </header>
  );
};

/** What the documents say about the page. On a phone its foot has the same link. */
const DocsButton = () => {
  const { path } = useAddress();
  return (
    <a
      class="icon-button header-docs"
      href={docsOf(routeOf(path))}
      aria-label={t('shell.docs.page')}
      data-tip={t('shell.docs.page')}
    >
      <Icon name="help" />
    </a>
  );
};

/** A word, or an icon where there is no room. */
const AccountLink = () => (
  <a class="header-link" href="/settings" aria-label={t('page.account')}>
    <Icon name="person" />
    <span>{t('page.account')}</span>
  </a>
);

const SiteSwitch = ({ page }: { page: SitePage }) => {
  const { me } = useApp();
  const { site } = useSite();
  const { go, search } = useAddress();
  const select = useRef<HTMLSelectElement>(null);
  if (me === null) return null;
  return (
    <span class="site-switch">
      <select
        ref={select}
        aria-label={t('shell.switchSite')}
        value={site.domain}
        onChange={event => {
          const { value } = event.currentTarget;
          go(value === '' ? '/settings/add-site' : pagePath(sitePath(value), page) + carriedSearch(search));
        }}
      >
        {me.sites.map(({ id, domain }) => (
          <option key={id} value={domain}>
            {domain}
          </option>
        ))}
        <option value="">{t('shell.addSite')}</option>
      </select>
      <Icon name="down" />
    </span>
  );
};

/** The places of the site. Each leads to the first of its pages. */
const SiteNav = ({ page }: { page: SitePage }) => {
  const state = useSite();
  const pages = shownPages(state);
  const links = sitePlaces.flatMap(place => {
    const first = pages.find(name => sitePages[name].place === place);
    return first === undefined ? [] : [{ page: first, label: t(`place.${place}`), place }];
  });
  return (
    <NavLinks
      label={t('shell.nav')}
      class="site-nav"
      links={links.map(({ place, ...link }) => ({ ...link, isCurrent: place === sitePages[page].place }))}
    />
  );
};

/** The pages of the place, where it has several: they stand beside the filters. */
export const PlaceNav = ({ page }: { page: SitePage }) => {
  const { place } = sitePages[page];
  const pages = shownPages(useSite()).filter(name => sitePages[name].place === place);
  if (pages.length < 2) return null;
  return (
    <NavLinks
      label={t(`place.${place}`)}
      class="site-nav place-nav"
      links={pages.map(name => ({ page: name, label: pageLabel(name), isCurrent: name === page }))}
    />
  );
};

interface NavLinksProps {
  label: string;
  class: string;
  links: { page: SitePage; label: string; isCurrent: boolean }[];
}

const NavLinks = ({ label, links, ...rest }: NavLinksProps) => {
  const { base } = useSite();
  const { search } = useAddress();
  const nav = useRef<HTMLElement>(null);
  const current = links.find(({ isCurrent }) => isCurrent)?.page;
  useLayoutEffect(() => bringCurrentIntoView(nav.current!), [current]);
  return (
    <nav aria-label={label} ref={nav} {...rest}>
      {links.map(({ page, label: text, isCurrent }) => (
        <a key={page} href={pagePath(base, page) + carriedSearch(search)} aria-current={isCurrent ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
};

/** On a phone the links do not fit side by side, and the current one may be out of sight. */
const bringCurrentIntoView = (nav: HTMLElement): void => {
  const link = nav.querySelector<HTMLElement>('[aria-current]');
  if (link !== null) nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.clientWidth) / 2;
};

/** The numbers of the page come first: this one waits. */
const delayMs = 1500;
const everyMs = 30_000;

/** How many people are on the site now, beside its name on every page. */
const Live = () => {
  const ticks = useInterval(everyMs, delayMs);
  const turn = useContext(RefreshContext);
  return (
    <RefreshContext.Provider value={turn + ticks}>
      <LiveLink isAsked={ticks > 0} />
    </RefreshContext.Provider>
  );
};

const LiveLink = ({ isAsked }: { isAsked: boolean }) => {
  const { site, base } = useSite();
  const { data } = useAnswer(isAsked ? askSite(site, 'realtime') : null, site.id);
  return (
    <a
      class={data === undefined || data.visitors === 0 ? 'live quiet' : 'live'}
      href={pagePath(base, 'realtime')}
      data-tip={t('realtime.visitors.meaning')}
    >
      {data === undefined ? '' : t('shell.now', { count: data.visitors })}
    </a>
  );
};
