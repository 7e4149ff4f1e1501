/** The settings of a rollup: what a site has that is not about hits themselves. */
import { useState } from 'preact/hooks';
import type { ChangeSite, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { RemoveRollup, RollupForm } from '../entry/rollup-form.tsx';
import { Actions, useSubmit } from '../form/form.tsx';
import { CalendarFields } from '../form/site-fields.tsx';
import { pagePath, sitePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { GoalSection } from './goal-section.tsx';
import { Section } from './section.tsx';
import { ShareSection } from './share-section.tsx';
import { SuspectSection } from './suspect-section.tsx';

export const RollupSettings = ({ rollup }: { rollup: SiteView }) => {
  const { go } = useAddress();
  return (
    <div class="settings-columns">
      <div>
        <Section title={t('rollups.settings')} note={t('rollups.note')}>
          <RollupForm
            rollup={rollup}
            onSaved={({ domain }) => go(pagePath(sitePath(domain), 'settings'), { replace: true })}
          />
        </Section>
        <ZoneSection rollup={rollup} />
        <GoalSection site={rollup} />
      </div>
      <div>
        <SuspectSection site={rollup} />
        <ShareSection site={rollup} />
        <Section title={t('rollups.remove')} note={t('rollups.remove.note')}>
          <RemoveRollup rollup={rollup} onRemoved={() => go('/', { replace: true })} />
        </Section>
      </div>
    </div>
  );
};

const ZoneSection = ({ rollup }: { rollup: SiteView }) => {
  const { client, setSite } = useApp();
  const [values, setValues] = useState({ timezone: rollup.timezone, currency: rollup.currency });
  const [done, setDone] = useState<string | null>(null);
  const form = useSubmit(async () => {
    setDone(null);
    const change: ChangeSite = values;
    setSite(rollup.id, await client.post<SiteView>(`/app/sites/${rollup.id}`, change));
    setDone(t('common.saved'));
  });
  return (
    <Section title={t('rollups.zone')}>
      <form class="form" onSubmit={form.submit}>
        <CalendarFields values={values} setValues={setValues} form={form} />
        <Actions form={form} label={t('common.save')} done={done} />
      </form>
    </Section>
  );
};
