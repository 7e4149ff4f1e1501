/**
 * Most pages of a site but the first, fetched together once somebody opens one of them: one fetch
 * is quicker than six small ones.
 */
import type { ComponentType } from 'preact';
import { CrawlersPage } from './crawlers/crawlers-page.tsx';
import { EventsPage } from './events/events-page.tsx';
import { FailuresPage } from './failures/failures-page.tsx';
import { HealthPage } from './health/health-page.tsx';
import { RealtimePage } from './realtime/realtime-page.tsx';
import type { SitePage } from './routes.ts';
import { VisitsPage } from './visits/visits-page.tsx';
import { VitalsPage } from './vitals/vitals-page.tsx';

export const sitePageComponents: Record<Exclude<SitePage, '' | 'funnels' | 'journeys' | 'settings'>, ComponentType> = {
  events: EventsPage,
  visits: VisitsPage,
  realtime: RealtimePage,
  vitals: VitalsPage,
  crawlers: CrawlersPage,
  failures: FailuresPage,
  health: HealthPage,
};
