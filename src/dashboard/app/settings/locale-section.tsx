/** The language of the pages, and how they write numbers, days and times. */

import { languages } from '../../../model/languages.ts';
import { clocks, firstDays, formatRegions, type LocaleChoice, languageNames } from '../../../model/locale.ts';
import type { Me } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Choice } from '../form/choice.tsx';
import { Actions } from '../form/form.tsx';
import { useEdited } from '../form/use-edited.ts';
import { formatInstant, formatNumber, formatWeekday } from '../format.ts';
import { regionName } from '../names.ts';
import { t } from '../texts/text.ts';
import { Section } from './section.tsx';

export const LocaleSection = ({ me }: { me: Me }) => {
  const { client, setMe, now } = useApp();
  const {
    values: choice,
    setValues: setChoice,
    form,
    end,
  } = useEdited(me.person.locale, async next => setMe(await client.post<Me>('/app/account/locale', next)));
  const select = <Name extends keyof LocaleChoice>(name: Name) => ({
    value: choice[name],
    onValue: (value: LocaleChoice[Name]) => setChoice({ ...choice, [name]: value }),
  });
  return (
    <Section title={t('settings.locale')} note={t('settings.locale.note')}>
      <form class="form" onSubmit={form.submit}>
        <Choice
          label={t('settings.locale.language')}
          options={[
            [null, t('settings.locale.browser')],
            ...languageNames.map(name => [name, languages[name]] as const),
          ]}
          {...select('language')}
        />
        <Choice
          label={t('settings.locale.region')}
          options={[[null, t('settings.locale.browser')], ...namedRegions()]}
          {...select('region')}
        />
        <Choice
          label={t('settings.locale.firstDay')}
          options={[[null, t('settings.locale.byRegion')], ...firstDays.map(day => [day, weekdayName(day)] as const)]}
          note={t('settings.locale.firstDay.note')}
          {...select('firstDay')}
        />
        <Choice
          label={t('settings.locale.clock')}
          options={[
            [null, t('settings.locale.byRegion')],
            ...clocks.map(clock => [clock, t(`settings.locale.clock.${clock}`)] as const),
          ]}
          {...select('clock')}
        />
        <Actions {...end} />
        <p class="hint">{t('settings.locale.example', { number: formatNumber(1234.5), time: timeNow(now()) })}</p>
      </form>
    </Section>
  );
};

const timeNow = (now: number): string =>
  formatInstant(new Date(now).toISOString(), Intl.DateTimeFormat().resolvedOptions().timeZone);

/** By their names in this language. */
const namedRegions = (): [string, string][] =>
  formatRegions
    .map((region): [string, string] => [region, regionName(region)])
    .sort(([, a], [, b]) => a.localeCompare(b));

/** From 1 for Monday to 7. 1 January 2024 was one. */
export const weekdayName = (day: number): string => formatWeekday(`2024-01-0${day}`);
