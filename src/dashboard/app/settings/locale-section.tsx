/** The language of the pages, and how they write numbers, days and times. */

import { languages } from '../../../model/languages.ts';
import {
  clocks,
  type FirstDay,
  firstDays,
  formatRegions,
  type LocaleChoice,
  languageNames,
} from '../../../model/locale.ts';
import type { Me } from '../../wire.ts';
import { useApp } from '../app-context.ts';
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
          none={t('settings.locale.browser')}
          options={languageNames.map(name => [name, languages[name]])}
          {...select('language')}
        />
        <Choice
          label={t('settings.locale.region')}
          none={t('settings.locale.browser')}
          options={namedRegions()}
          {...select('region')}
        />
        <Choice
          label={t('settings.locale.firstDay')}
          none={t('settings.locale.byRegion')}
          options={firstDays.map(day => [day, weekdayName(day)])}
          note={t('settings.locale.firstDay.note')}
          {...select('firstDay')}
        />
        <Choice
          label={t('settings.locale.clock')}
          none={t('settings.locale.byRegion')}
          options={clocks.map(clock => [clock, t(`settings.locale.clock.${clock}`)])}
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

/** 1 January 2024 was a Monday. */
const weekdayName = (day: FirstDay): string => formatWeekday(`2024-01-0${day}`);

interface ChoiceProps<Value> {
  label: string;
  /** What no choice is called. */
  none: string;
  options: readonly (readonly [Value & (string | number), string])[];
  note?: string;
  value: Value | null;
  onValue: (value: Value | null) => void;
}

const Choice = <Value,>({ label, none, options, note, value, onValue }: ChoiceProps<Value>) => (
  <label class="field">
    {label}
    <select
      value={String(value ?? '')}
      onChange={({ currentTarget }) =>
        onValue(options.find(([name]) => String(name) === currentTarget.value)?.[0] ?? null)
      }
    >
      <option value="">{none}</option>
      {options.map(([name, text]) => (
        <option key={name} value={String(name)}>
          {text}
        </option>
      ))}
    </select>
    {note !== undefined && <span class="field-note">{note}</span>}
  </label>
);
