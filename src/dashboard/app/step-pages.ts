/** The pages about steps that people take, fetched together by those who open one of them. */
export { FunnelsPage } from './steps/funnels-page.tsx';
export { JourneysPage } from './steps/journeys-page.tsx';
