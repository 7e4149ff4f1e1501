/** The fields of a site: domain, time zone, currency. */

import { t } from '../texts/text.ts';
import { Field, type Submit } from './form.tsx';

export interface SiteValues {
  domain: string;
  timezone: string;
  currency: string;
}

const timezones = Intl.supportedValuesOf('timeZone');
const currencies = Intl.supportedValuesOf('currency');

interface FieldsProps<Values> {
  values: Values;
  setValues: (values: Values) => void;
  form: Submit;
}

export const SiteFields = ({ autofocus = false, ...rest }: FieldsProps<SiteValues> & { autofocus?: boolean }) => (
  <>
    <Field label={t('form.domain')} {...fieldOf(rest, 'domain')} autofocus={autofocus} note={t('form.domain.note')} />
    <CalendarFields {...rest} />
  </>
);

/** Whose days and money the numbers are in. */
export const CalendarFields = <Values extends Omit<SiteValues, 'domain'>>(props: FieldsProps<Values>) => (
  <>
    <Field
      label={t('form.timezone')}
      {...fieldOf(props, 'timezone')}
      options={timezones}
      note={t('form.timezone.note')}
    />
    <Field
      label={t('form.currency')}
      {...fieldOf(props, 'currency')}
      options={currencies}
      note={t('form.currency.note')}
    />
  </>
);

const fieldOf = <Values extends Partial<SiteValues>>(
  { values, setValues, form }: FieldsProps<Values>,
  name: keyof SiteValues & keyof Values,
) => ({
  name,
  form,
  required: true,
  value: values[name] as string,
  onValue: (value: string) => setValues({ ...values, [name]: value }),
});

/** Zones with one common currency, or nearly. A wrong guess costs a click. */
const currencyGuesses: readonly (readonly [zone: RegExp, currency: string])[] = [
  [/^Europe\/London|^Europe\/(Belfast|Jersey|Guernsey|Isle_of_Man)/, 'GBP'],
  [/^Europe\/(Zurich|Vaduz)/, 'CHF'],
  [/^Europe\/Warsaw/, 'PLN'],
  [/^Europe\/Prague/, 'CZK'],
  [/^Europe\/Budapest/, 'HUF'],
  [/^Europe\/Bucharest/, 'RON'],
  [/^Europe\/Stockholm/, 'SEK'],
  [/^Europe\/Oslo/, 'NOK'],
  [/^Europe\/Copenhagen/, 'DKK'],
  [/^Europe\/Istanbul/, 'TRY'],
  [/^Europe\/(Moscow|Samara|Volgograd)/, 'RUB'],
  [/^Europe\/Kyiv|^Europe\/Kiev/, 'UAH'],
  [/^Europe\//, 'EUR'],
  [/^America\/(Toronto|Vancouver|Edmonton|Winnipeg|Halifax|Regina|St_Johns)/, 'CAD'],
  [/^America\/(Sao_Paulo|Bahia|Fortaleza|Recife|Manaus|Belem)/, 'BRL'],
  [/^America\/(Mexico_City|Monterrey|Tijuana|Cancun)/, 'MXN'],
  [/^America\/(Argentina|Buenos_Aires)/, 'ARS'],
  [/^America\/Santiago/, 'CLP'],
  [/^America\/Bogota/, 'COP'],
  [/^Australia\//, 'AUD'],
  [/^Pacific\/Auckland/, 'NZD'],
  [/^Asia\/Tokyo/, 'JPY'],
  [/^Asia\/Seoul/, 'KRW'],
  [/^Asia\/Shanghai/, 'CNY'],
  [/^Asia\/(Kolkata|Calcutta)/, 'INR'],
  [/^Asia\/Singapore/, 'SGD'],
  [/^Asia\/Hong_Kong/, 'HKD'],
  [/^Asia\/(Jerusalem|Tel_Aviv)/, 'ILS'],
  [/^Africa\/Johannesburg/, 'ZAR'],
];

/** A guess at a new site, from the browser that adds it. */
export const guessedSite = (): SiteValues => {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const currency = currencyGuesses.find(([zone]) => zone.test(timezone))?.[1] ?? 'USD';
  return { domain: guessedDomain(location.hostname), timezone, currency };
};

/**
 * `stats.example.com` usually measures `example.com`. A local host or an address gives no guess.
 */
const guessedDomain = (host: string): string => {
  const labels = host.split('.');
  if (labels.length < 2 || /^[\d.:[\]]+$/.test(host) || labels.at(-1) === 'localhost') return '';
  return labels.length > 2 ? labels.slice(1).join('.') : host;
};
