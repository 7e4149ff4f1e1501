/** Parts of settings that a site and a rollup have in common. */
import type { SiteView } from '../../wire.ts';
import { t } from '../texts/text.ts';
import { AlertSection } from './alert-section.tsx';
import { GoalSection } from './goal-section.tsx';
import { ReportSection } from './report-section.tsx';
import type { SettingsPart } from './settings-frame.tsx';
import { ShareSection } from './share-section.tsx';

export const goalsPart = (site: SiteView): SettingsPart => ({
  ...{ name: 'goals', label: t('settings.goals'), docs: 'definitions#segments-and-goals', right: 'define' },
  content: <GoalSection site={site} />,
});

export const alertsPart = (site: SiteView): SettingsPart => ({
  ...{ name: 'alerts', label: t('settings.alerts'), docs: 'alerts', right: 'settings' },
  content: <AlertSection site={site} />,
});

export const sharePart = (site: SiteView): SettingsPart => ({
  ...{ name: 'share', label: t('settings.share'), docs: 'api#access', right: 'share' },
  content: <ShareSection site={site} />,
});

export const reportsPart = (site: SiteView): SettingsPart => ({
  ...{ name: 'reports', label: t('settings.reports'), docs: 'reports', right: 'share' },
  content: <ReportSection site={site} />,
});
