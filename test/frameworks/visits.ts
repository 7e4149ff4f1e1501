/** The two visits that every framework gets, as a person would tell them. */
import { redirectsTo, titleOf } from './site.ts';

/** One thing that the visitor does, and what is there then. `driver.js` performs it. */
export interface Step {
  do: 'load' | 'click' | 'back' | 'forward' | 'reload';
  /** What is clicked or loaded. */
  to?: string;
  /** Path and query of the page that comes. */
  at: string;
  title: string;
  /** It is left at once, whether its title has come or not. */
  isBrief?: true;
  /** No other page: the same one at another place. */
  isAnchor?: true;
}

/** A step as it was: the title that the page had when it was left, and UTC milliseconds. */
export interface SeenStep extends Step {
  shownAt: number;
  leftAt: number;
  /** When its document began to load, which tells documents apart. */
  document: number;
}

export interface Visit {
  /** Where the link of the site before leads. */
  landing: string;
  steps: Step[];
  /** What the visit is to be stored as. */
  campaign: string;
  source: string;
}

const step = (what: Step['do'], to?: string, more: Partial<Step> = {}): Step => {
  const address = to === undefined ? more.at! : to === '/old' ? redirectsTo : to;
  const { pathname, search } = new URL(address, 'http://site');
  return {
    do: what,
    ...(to === undefined ? {} : { to }),
    at: pathname + search,
    title: titleOf(pathname, search),
    ...more,
  };
};

const landingTags = '?utm_source=news&utm_campaign=may';
const redirectTags = '?utm_source=ad&utm_campaign=june';

/** 13 pageviews. */
const long: Visit = {
  landing: `/${landingTags}`,
  source: 'news',
  campaign: 'may',
  steps: [
    step('load', '/'),
    step('click', '/about'),
    step('click', '/about#team', { isAnchor: true }),
    step('click', '/list?page=1'),
    step('click', '/list?page=2'),
    step('back', undefined, { at: '/list?page=1' }),
    step('forward', undefined, { at: '/list?page=2' }),
    step('click', '/a', { isBrief: true }),
    step('click', '/b'),
    step('click', '/slow'),
    step('click', '/old'),
    step('reload', undefined, { at: redirectsTo }),
    step('load', `/old${redirectTags}`, { at: redirectsTo, title: titleOf(redirectsTo) }),
    step('click', '/end'),
  ],
};

/** A bounce. */
const bounce: Visit = {
  landing: `/old${redirectTags}`,
  source: 'ad',
  campaign: 'june',
  steps: [step('load', '/old')],
};

export const visits = { long, bounce } as const;

/** An address as a router in the hash has it. */
export const inHash = (address: string): string => {
  const { pathname, search } = new URL(address, 'http://site');
  return `/${search}${pathname === '/' ? '' : `#${pathname}`}`;
};
