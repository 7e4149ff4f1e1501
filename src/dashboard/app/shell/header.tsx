/** The top of every page: which site, how many are there, the account, and below it the site's pages. */
import { useRef } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { Icon } from '../parts/icon.tsx';
import { carriedSearch } from '../question.ts';
import { pagePath, type SitePage, sitePageNames, sitePages, sitePath } from '../routes.ts';
import { Live } from './live.tsx';
import { ThemeButton } from './theme.tsx';

export const Brand = () => (
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
        {own !== null && (
          <a class="header-link" href="/settings">
            Account
          </a>
        )}
      </div>
      <SiteNav page={page} />
    </header>
  );
};

/** The top of pages that are about no site. */
export const PlainHeader = () => {
  const { me } = useApp();
  return (
    <header class="header">
      <div class="header-row">
        <Brand />
        <span class="header-gap" />
        <ThemeButton />
        {me !== null && (
          <a class="header-link" href="/settings">
            Account
          </a>
        )}
      </div>
    </header>
  );
};

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
        aria-label="Switch site"
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
        <option value="">Add a site …</option>
      </select>
      <Icon name="down" />
    </span>
  );
};

const SiteNav = ({ page }: { page: SitePage }) => {
  const { base, own } = useSite();
  const { search } = useAddress();
  return (
    <nav class="site-nav" aria-label="Site">
      {sitePageNames
        .filter(name => own !== null || sitePages[name].isPublic)
        .map(name => (
          <a
            key={name}
            href={pagePath(base, name) + carriedSearch(search)}
            aria-current={name === page ? 'page' : undefined}
          >
            {sitePages[name].label}
          </a>
        ))}
    </nav>
  );
};
