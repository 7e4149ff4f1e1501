/**
 * The top of every page: the site, how many people are on it, the account, and below the site's
 * pages.
 */

import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { shownPages, useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Icon } from '../parts/icon.tsx';
import { useInterval } from '../parts/use-interval.ts';
import { carriedSearch } from '../question.ts';
import { pageLabel, pagePath, type SitePage, sitePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { RefreshContext, useAnswer } from '../use-answer.ts';
import { ThemeButton } from './theme.tsx';

const Brand = () => (
  <a class="brand" href="/" aria-label="Daybook">
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d="M3 2.5h14v15H3zM6.5 13.5v-3M10 13.5v-7M13.5 13.5v-5" />
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
        <Live />
        <span class="header-gap" />
        <ThemeButton />
        {own !== null && <AccountLink />}
      </div>
      <SiteNav page={page} />
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
        <ThemeButton />
        {me !== null && <AccountLink />}
      </div>
    </header>
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

const SiteNav = ({ page }: { page: SitePage }) => {
  const state = useSite();
  const { search } = useAddress();
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => bringCurrentIntoView(nav.current!), [page]);
  return (
    <nav class="site-nav" aria-label={t('shell.nav')} ref={nav}>
      {shownPages(state).map(name => (
        <a
          key={name}
          href={pagePath(state.base, name) + carriedSearch(search)}
          aria-current={name === page ? 'page' : undefined}
        >
          {pageLabel(name)}
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
