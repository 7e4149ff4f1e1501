/** The settings of a rollup: what a site has that is not about hits themselves. */
import type { ChangeSite, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { RemoveRollup, RollupForm } from '../entry/rollup-form.tsx';
import { Actions } from '../form/form.tsx';
import { CalendarFields } from '../form/site-fields.tsx';
import { useEdited } from '../form/use-edited.ts';
import { pagePath, sitePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { alertsPart, goalsPart, reportsPart, sharePart } from './parts.tsx';
import { Section } from './section.tsx';
import { SettingsFrame, type SettingsPart } from './settings-frame.tsx';
import { SuspectSection } from './suspect-section.tsx';

export const RollupSettings = ({ rollup }: { rollup: SiteView }) => {
  const { go } = useAddress();
  const { rights } = useSite();
  const parts: SettingsPart[] = [
    {
      ...{ name: 'general', label: t('settings.general'), docs: 'definitions#rollups' },
      content: (
        <>
          {rights.has('sites') && (
            <Section title={t('rollups.settings')} note={t('rollups.note')}>
              <RollupForm
                rollup={rollup}
                onSaved={({ domain }) => go(pagePath(sitePath(domain), 'settings'), { replace: true })}
              />
            </Section>
          )}
          <ZoneSection rollup={rollup} />
        </>
      ),
    },
    goalsPart(rollup),
    alertsPart(rollup),
    sharePart(rollup),
    reportsPart(rollup),
    {
      ...{ name: 'spam', label: t('settings.spam'), docs: 'definitions#suspect-visits', right: 'settings' },
      content: <SuspectSection site={rollup} />,
    },
    {
      ...{ name: 'delete', label: t('settings.danger'), docs: 'definitions#rollups', right: 'sites' },
      content: (
        <Section title={t('rollups.remove')} note={t('rollups.remove.note')}>
          <RemoveRollup rollup={rollup} onRemoved={() => go('/', { replace: true })} />
        </Section>
      ),
    },
  ];
  return <SettingsFrame parts={parts.filter(({ right }) => right === undefined || rights.has(right))} />;
};

const ZoneSection = ({ rollup }: { rollup: SiteView }) => {
  const { client, setSite } = useApp();
  const { timezone, currency } = rollup;
  const { values, setValues, form, end } = useEdited({ timezone, currency }, async (change: ChangeSite) =>
    setSite(rollup.id, await client.post<SiteView>(`/app/sites/${rollup.id}`, change)),
  );
  return (
    <Section title={t('rollups.zone')}>
      <form class="form" onSubmit={form.submit}>
        <CalendarFields values={values} setValues={setValues} form={form} />
        <Actions {...end} />
      </form>
    </Section>
  );
};
