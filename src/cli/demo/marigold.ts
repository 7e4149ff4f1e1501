/** The demo's first site: invoices and time tracking for small studios. People read, try it and pay for it. */
import type { Today } from './calendar.ts';
import type { Action, PageKind, Person, Profile, Source } from './profile.ts';
import type { Chance, Weighted } from './random.ts';

const brand = 'Marigold';
const titled = (title: string): string => `${title} – ${brand}`;

/** Minor units of one seat's month. */
const prices: Record<string, number> = { solo: 900, studio: 1900, agency: 3900 };

const firstNames =
  'anna ben chloe david elif felix greta hugo ines jonas kim lea marco nina omar paula quentin rosa sam tara';
const studios =
  'brightside northpark oakandink pixelwerk kontur studio-lund fablab quietdesk redbrick halfmoon tinte lumen';

const signUp = (chance: Chance, person: Person): void => {
  const name = chance.one(firstNames.split(' '));
  const plan = chance.weighted([
    ['solo', 6],
    ['studio', 3],
    ['agency', 1],
  ]);
  const seats = plan === 'solo' ? 1 : 2 + Math.floor(chance.around(plan === 'studio' ? 2 : 9, 0.6));
  person.account = {
    email: `${name}.${chance.below(900) + 100}@${chance.one(studios.split(' '))}.example`,
    plan,
    seats,
  };
};

const amountOf = ({ country, account }: Person, months: number) => ({
  v: (prices[account?.plan ?? 'solo'] ?? 900) * (account?.seats ?? 1) * months,
  c: country.euro ? 'EUR' : 'USD',
});

const event = (probability: number, n: string, p: (chance: Chance, person: Person) => object = () => ({})): Action => ({
  probability,
  hit: (chance, person) => ({ t: 'custom', n, p: p(chance, person) }),
});
const link = (probability: number, ...targets: string[]): Action => ({
  probability,
  hit: chance => ({ t: 'outbound', n: chance.one(targets) }),
});

const signup: Action = {
  probability: 1,
  hit(chance, person) {
    if (person.account !== null) return null;
    signUp(chance, person);
    return {
      t: 'custom',
      n: 'Signup',
      p: {
        plan: person.account!.plan,
        seats: person.account!.seats,
        method: chance.one(['email', 'email', 'google', 'apple']),
        trial: true,
      },
    };
  },
};
const identify: Action = {
  probability: 0.9,
  hit: (_, { account }) => (account === null ? null : { t: 'identify', p: { ...account } }),
};
const subscribe: Action = {
  probability: 0.7,
  hit(chance, person) {
    if (person.account === null) return null;
    const yearly = chance.is(0.35);
    return {
      t: 'revenue',
      n: 'Subscription',
      ...amountOf(person, yearly ? 10 : 1),
      p: { plan: person.account.plan, seats: person.account.seats, interval: yearly ? 'year' : 'month' },
    };
  },
};
const addSeats: Action = {
  probability: 0.02,
  hit(chance, person) {
    if (person.account === null) return null;
    const added = 1 + chance.below(3);
    person.account.seats += added;
    return {
      t: 'revenue',
      n: 'Seats added',
      ...amountOf({ ...person, account: { ...person.account, seats: added } }, 1),
      p: { seats: added },
    };
  },
};
const refund: Action = {
  probability: 0.0008,
  hit: (_, person) => {
    const { v, c } = amountOf(person, 1);
    return person.account === null ? null : { t: 'revenue', n: 'Refund', v: -v, c };
  },
};

const page = (path: string, title: string): readonly [string, string] => [path, titled(title)];

const kinds: Record<string, PageKind> = {
  home: {
    pages: [[['/', 'Marigold – Invoices and time tracking for small studios'], 1]],
    seconds: 24,
    leave: 0.34,
    next: [
      ['feature', 34],
      ['pricing', 30],
      ['post', 12],
      ['customer', 8],
      ['signup', 4],
      ['docs', 5],
      ['company', 4],
      ['login', 3],
    ],
    actions: [
      event(0.07, 'Play video', chance => ({
        video: 'Tour',
        seconds: Math.round(chance.around(38, 0.7)),
        finished: chance.is(0.3),
      })),
      event(0.02, 'Newsletter', () => ({ place: 'footer' })),
    ],
  },
  feature: {
    pages: [
      [page('/features/time-tracking', 'Time tracking'), 10],
      [page('/features/invoices', 'Invoices'), 9],
      [page('/features/estimates', 'Estimates'), 5],
      [page('/features/expenses', 'Expenses'), 4],
      [page('/features/reports', 'Reports'), 3],
      [page('/integrations', 'Integrations'), 3],
    ],
    seconds: 42,
    leave: 0.24,
    next: [
      ['feature', 30],
      ['pricing', 36],
      ['signup', 5],
      ['customer', 8],
      ['home', 8],
      ['docs', 6],
    ],
    actions: [
      event(0.05, 'Play video', chance => ({
        video: chance.one(['Timer', 'First invoice', 'Reports']),
        seconds: Math.round(chance.around(52, 0.6)),
        finished: chance.is(0.4),
      })),
      link(
        0.02,
        'https://apps.apple.com/app/marigold-timer',
        'https://play.google.com/store/apps/details?id=example.marigold',
      ),
    ],
  },
  pricing: {
    pages: [[page('/pricing', 'Pricing'), 1]],
    seconds: 48,
    leave: 0.36,
    next: [
      ['signup', 15],
      ['feature', 30],
      ['home', 12],
      ['customer', 8],
      ['docs', 8],
      ['company', 4],
    ],
    actions: [
      event(0.24, 'Change interval', chance => ({ interval: chance.one(['year', 'year', 'month']) })),
      event(0.11, 'Open question', chance => ({
        question: chance.weighted([
          ['Can I change plans later?', 5],
          ['Is there a free trial?', 6],
          ['Do you charge per client?', 3],
          ['What happens to my data?', 2],
        ]),
      })),
    ],
  },
  post: {
    pages: [
      [page('/blog/how-to-price-design-work', 'How to price design work'), 18],
      [page('/blog/hourly-or-fixed-price', 'Hourly or fixed price?'), 14],
      [page('/blog/late-payments', 'What to do about late payments'), 13],
      [page('/blog/first-invoice', 'Your first invoice, line by line'), 11],
      [page('/blog/small-business-rule-germany', 'Invoices under the small business rule in Germany'), 10],
      [page('/blog/retainers', 'Retainers that work for both sides'), 7],
      [page('/blog/estimate-or-quote', 'Estimate, quote or proposal?'), 7],
      [page('/blog/one-year-of-time-tracking', 'What a year of time tracking taught us'), 6],
      [page('/blog/saying-no-to-clients', 'Saying no to a client'), 5],
      [page('/blog/vat-in-the-eu', 'VAT across the EU, explained with examples'), 5],
      [page('/blog/why-we-left-the-cloud', 'Why we left the cloud'), 3],
      [page('/blog', 'Blog'), 4],
    ],
    seconds: 105,
    leave: 0.68,
    next: [
      ['post', 46],
      ['home', 22],
      ['feature', 10],
      ['template', 12],
      ['pricing', 8],
    ],
    actions: [
      event(0.035, 'Newsletter', () => ({ place: 'article' })),
      event(0.02, 'Share', chance => ({ to: chance.one(['link', 'link', 'linkedin', 'mail']) })),
      link(
        0.05,
        'https://www.gesetze-im-internet.de/ustg_1980/',
        'https://ec.europa.eu/taxation_customs/vies/',
        'https://en.wikipedia.org/wiki/Value-added_tax',
      ),
    ],
  },
  template: {
    pages: [
      [page('/templates/invoice', 'Free invoice template'), 16],
      [page('/templates/rechnung', 'Rechnungsvorlage'), 9],
      [page('/templates/timesheet', 'Free timesheet template'), 8],
      [page('/templates/estimate', 'Free estimate template'), 5],
      [page('/templates/contract', 'Freelance contract template'), 5],
    ],
    seconds: 38,
    leave: 0.56,
    next: [
      ['template', 34],
      ['home', 24],
      ['pricing', 12],
      ['signup', 5],
      ['post', 16],
    ],
    actions: [
      event(0.38, 'Download', chance => ({
        file: chance.one(['invoice', 'invoice', 'timesheet', 'estimate', 'contract']),
        format: chance.weighted([
          ['docx', 4],
          ['xlsx', 4],
          ['pdf', 3],
          ['numbers', 1],
        ]),
        bytes: 18_000 + chance.below(160_000),
      })),
    ],
  },
  customer: {
    pages: [
      [page('/customers', 'Customers'), 5],
      [page('/customers/studio-lund', 'How Studio Lund halved its paperwork'), 3],
      [page('/customers/kontur', 'Kontur: one list of hours for eleven people'), 2],
    ],
    seconds: 50,
    leave: 0.36,
    next: [
      ['pricing', 36],
      ['customer', 20],
      ['home', 20],
      ['signup', 7],
      ['feature', 14],
    ],
  },
  company: {
    pages: [
      [page('/about', 'About us'), 5],
      [page('/contact', 'Contact'), 4],
      [page('/jobs', 'Jobs'), 2],
      [page('/changelog', 'Changelog'), 3],
      [page('/imprint', 'Imprint'), 1],
      [page('/search?q={word}', 'Search'), 3],
    ],
    seconds: 34,
    leave: 0.5,
    next: [
      ['home', 40],
      ['pricing', 16],
      ['company', 22],
      ['post', 14],
    ],
    actions: [
      event(0.04, 'Contact', chance => ({ topic: chance.one(['sales', 'support', 'support', 'press']) })),
      link(0.05, 'https://www.linkedin.com/company/marigold-example', 'https://github.com/marigold-example'),
    ],
  },
  docs: {
    host: 'docs.',
    pages: [
      [page('/', 'Help'), 6],
      [page('/start', 'Getting started'), 8],
      [page('/invoices/recurring', 'Recurring invoices'), 6],
      [page('/invoices/reminders', 'Payment reminders'), 5],
      [page('/time/timer', 'The timer'), 5],
      [page('/import/csv', 'Import from CSV'), 4],
      [page('/api', 'API'), 4],
      [page('/api/webhooks', 'Webhooks'), 2],
      [page('/search?q={word}', 'Search'), 3],
    ],
    seconds: 72,
    leave: 0.4,
    next: [
      ['docs', 74],
      ['app', 10],
      ['home', 8],
      ['company', 5],
    ],
    actions: [
      event(0.09, 'Was this helpful?', chance => ({ helpful: chance.is(0.78) })),
      event(0.06, 'Copy snippet', chance => ({
        language: chance.one(['curl', 'curl', 'javascript', 'python', 'php']),
      })),
    ],
  },
  signup: {
    pages: [[page('/signup', 'Start your trial'), 1]],
    seconds: 46,
    leave: 0.55,
    next: [
      ['welcome', 50],
      ['pricing', 22],
      ['home', 10],
    ],
    actions: [event(0.16, 'Form error', chance => ({ field: chance.one(['email', 'password', 'password', 'terms']) }))],
  },
  welcome: {
    pages: [[page('/signup/welcome', 'Welcome'), 1]],
    seconds: 26,
    leave: 0.08,
    next: [
      ['app', 82],
      ['docs', 18],
    ],
    actions: [signup, identify],
  },
  login: {
    pages: [[page('/login', 'Log in'), 1]],
    seconds: 12,
    leave: 0.12,
    next: [['app', 1]],
  },
  app: {
    host: 'app.',
    pages: [
      [page('/#/today', 'Today'), 12],
      [page('/#/timer', 'Timer'), 10],
      [page('/#/invoices', 'Invoices'), 8],
      [page('/#/invoices/new', 'New invoice'), 5],
      [page('/#/clients', 'Clients'), 4],
      [page('/#/reports', 'Reports'), 4],
      [page('/#/settings', 'Settings'), 2],
    ],
    seconds: 80,
    leave: 0.32,
    next: [
      ['app', 92],
      ['docs', 5],
      ['checkout', 3],
    ],
    actions: [
      identify,
      event(0.3, 'Timer started', chance => ({
        project: chance.one(['Website', 'Branding', 'Retainer', 'Admin']),
        billable: chance.is(0.8),
      })),
      event(0.14, 'Invoice sent', chance => ({
        lines: 1 + chance.below(8),
        total: Math.round(chance.around(1450, 0.8)),
        reminder: chance.is(0.4),
        due: new Date(Date.UTC(2026, chance.below(12), 1 + chance.below(28))).toISOString().slice(0, 10),
      })),
      addSeats,
      refund,
    ],
  },
  checkout: {
    host: 'app.',
    pages: [[page('/#/checkout', 'Checkout'), 1]],
    seconds: 64,
    leave: 0.3,
    next: [['app', 1]],
    actions: [subscribe],
  },
};

const always =
  (weight: number) =>
  ({ steady }: Today): number =>
    weight * steady;
/** A campaign from one day of the year to another, strong at first. */
const during =
  (weight: number, from: readonly [month: number, date: number], days: number) =>
  ({ day, steady, month }: Today): number => {
    const year = new Date(day * 86_400_000).getUTCFullYear() - (month < from[0] ? 1 : 0);
    const passed = day - Date.UTC(year, from[0] - 1, from[1]) / 86_400_000;
    return passed < 0 || passed >= days ? 0 : weight * steady * (1 - (0.5 * passed) / days);
  };
/** The letter goes out on the first Tuesday of a month; most read it at once. */
const newsletter = ({ weekday, date, steady }: Today): number => {
  if (weekday === 2 && date <= 7) return 26 * steady;
  if (weekday === 3 && date >= 2 && date <= 8) return 9 * steady;
  return weekday === 4 && date >= 3 && date <= 9 ? 4 * steady : 0.4 * steady;
};

const landings: Weighted<string> = [
  ['post', 46],
  ['template', 30],
  ['home', 16],
  ['docs', 5],
  ['feature', 5],
];

const source = (row: Partial<Source> & Pick<Source, 'visits'>): Source => ({
  referrer: null,
  lands: landings,
  bounces: 1,
  mobileShare: 0.34,
  ...row,
});

const ads = (campaign: string, content: string): string =>
  `utm_source=google&utm_medium=cpc&utm_campaign=${campaign}&utm_content=${content}&gclid=demo`;

const sources: readonly Source[] = [
  source({ visits: always(38), referrer: 'https://www.google.com/' }),
  source({ visits: always(4.2), referrer: 'https://www.bing.com/', mobileShare: 0.12 }),
  source({ visits: always(3.4), referrer: 'https://duckduckgo.com/' }),
  source({ visits: always(1.2), referrer: 'https://www.ecosia.org/' }),
  source({ visits: always(1.6), referrer: 'https://chatgpt.com/', query: 'utm_source=chatgpt.com', mobileShare: 0.2 }),
  source({ visits: always(0.6), referrer: 'https://www.perplexity.ai/' }),
  source({
    visits: always(15),
    lands: [
      ['home', 62],
      ['pricing', 12],
      ['post', 12],
      ['docs', 8],
      ['login', 6],
    ],
    bounces: 0.9,
    mobileShare: 0.3,
  }),
  source({
    visits: always(13),
    lands: [
      ['app', 62],
      ['login', 30],
      ['docs', 8],
    ],
    bounces: 0.6,
    mobileShare: 0.22,
    who: 'customer',
  }),
  source({
    visits: always(1.1),
    lands: [
      ['home', 5],
      ['post', 3],
      ['docs', 2],
    ],
    bounces: 0.7,
    mobileShare: 0.1,
    who: 'staff',
  }),
  source({
    visits: always(2.2),
    referrer: 'https://www.linkedin.com/',
    mobileShare: 0.66,
    bounces: 1.1,
    lands: [
      ['post', 3],
      ['customer', 2],
      ['home', 2],
    ],
  }),
  source({ visits: always(1), referrer: 'https://t.co/q1w2e3', mobileShare: 0.7, bounces: 1.15 }),
  source({
    visits: always(0.9),
    referrer: 'https://www.youtube.com/',
    mobileShare: 0.5,
    lands: [
      ['home', 3],
      ['feature', 2],
    ],
  }),
  source({
    visits: always(1.3),
    referrer: 'https://www.capterra.com/p/marigold',
    lands: [
      ['pricing', 3],
      ['home', 4],
      ['feature', 2],
    ],
    mobileShare: 0.1,
    bounces: 0.8,
  }),
  source({
    visits: always(0.9),
    referrer: 'https://www.designerlist.example/tools/billing',
    lands: [
      ['home', 5],
      ['pricing', 2],
    ],
  }),
  source({
    visits: always(0.7),
    referrer: 'https://github.com/marigold-example/client',
    lands: [['docs', 1]],
    mobileShare: 0.06,
  }),
  source({ visits: always(0.5), referrer: 'android-app://com.google.android.gm/', mobileShare: 1 }),
  source({
    visits: newsletter,
    query: 'utm_source=newsletter&utm_medium=email&utm_campaign=monthly-letter',
    lands: [
      ['post', 8],
      ['home', 2],
      ['company', 1],
    ],
    mobileShare: 0.52,
    bounces: 0.95,
  }),
  source({
    visits: always(3.4),
    referrer: 'https://www.google.com/',
    query: ads('brand', 'sitelinks'),
    lands: [
      ['home', 6],
      ['pricing', 4],
    ],
    bounces: 0.85,
  }),
  source({
    visits: during(13, [3, 9], 21),
    referrer: 'https://www.google.com/',
    query: `${ads('spring-launch', 'timer-a')}&utm_term=time+tracking`,
    lands: [
      ['feature', 6],
      ['pricing', 2],
    ],
  }),
  source({
    visits: during(6, [3, 9], 21),
    referrer: 'https://www.facebook.com/',
    query: 'utm_source=facebook&utm_medium=paid-social&utm_campaign=spring-launch&utm_content=video&fbclid=demo',
    lands: [
      ['feature', 3],
      ['home', 3],
    ],
    mobileShare: 0.82,
    bounces: 1.25,
  }),
  source({
    visits: during(11, [9, 7], 24),
    referrer: 'https://www.google.com/',
    query: `${ads('autumn-launch', 'invoice-b')}&utm_term=invoice+software`,
    lands: [
      ['feature', 5],
      ['template', 2],
      ['pricing', 2],
    ],
  }),
  source({
    visits: during(5, [9, 7], 24),
    referrer: 'https://l.instagram.com/',
    query: 'utm_source=instagram&utm_medium=paid-social&utm_campaign=autumn-launch&utm_content=story',
    lands: [['home', 1]],
    mobileShare: 0.95,
    bounces: 1.3,
  }),
  source({
    visits: during(16, [11, 20], 11),
    referrer: 'https://www.google.com/',
    query: ads('black-friday', 'countdown'),
    lands: [
      ['pricing', 5],
      ['home', 3],
    ],
    bounces: 0.9,
  }),
  source({
    visits: during(9, [11, 20], 11),
    query: 'utm_source=newsletter&utm_medium=email&utm_campaign=black-friday',
    lands: [['pricing', 1]],
    mobileShare: 0.5,
    bounces: 0.8,
  }),
  source({
    visits: always(1.4),
    referrer: 'https://www.studioweekly.example/',
    query: 'utm_source=studio-weekly&utm_medium=affiliate&utm_campaign=partners',
    lands: [
      ['pricing', 2],
      ['home', 3],
    ],
    bounces: 0.85,
  }),
  source({
    visits: today => 150 * today.burst(11, 75),
    referrer: 'https://news.ycombinator.com/',
    lands: [
      ['post', 30],
      ['home', 2],
    ],
    bounces: 1.15,
    mobileShare: 0.42,
  }),
  source({
    visits: today => 46 * today.burst(12, 40),
    referrer: 'https://www.reddit.com/r/freelance/',
    lands: [
      ['post', 5],
      ['template', 3],
    ],
    bounces: 1.1,
    mobileShare: 0.55,
  }),
  source({
    visits: today => 60 * today.burst(13, 110),
    referrer: 'https://www.producthunt.com/',
    query: 'ref=producthunt',
    lands: [
      ['home', 8],
      ['pricing', 2],
    ],
    bounces: 0.95,
    mobileShare: 0.36,
  }),
];

export const marigold: Profile = {
  domain: 'marigold.example',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  identityMode: 'hash',
  excludedIps: ['78.55.31.200'],
  share: 0.86,
  returning: 0.18,
  kinds,
  sources,
  searchWords: ['invoice', 'vat', 'timer', 'export', 'csv', 'reminder', 'currency', 'discount', 'api', 'late fee'],
};
