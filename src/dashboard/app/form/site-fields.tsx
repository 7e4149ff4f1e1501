/** What a site is made of when it is added or changed: domain, time zone, currency. */
import { Field } from './field.tsx';
import type { Submit } from './use-submit.ts';

export interface SiteValues {
  domain: string;
  timezone: string;
  currency: string;
}

const timezones = Intl.supportedValuesOf('timeZone');
const currencies = Intl.supportedValuesOf('currency');

interface SiteFieldsProps {
  values: SiteValues;
  setValues: (values: SiteValues) => void;
  form: Submit;
  autofocus?: boolean;
}

export const SiteFields = ({ values, setValues, form, autofocus = false }: SiteFieldsProps) => {
  const field = (name: keyof SiteValues) => ({
    name,
    form,
    required: true,
    value: values[name],
    onValue: (value: string) => setValues({ ...values, [name]: value }),
  });
  return (
    <>
      <Field
        label="Domain"
        {...field('domain')}
        autofocus={autofocus}
        note="Of the site to be measured, such as example.com"
      />
      <Field
        label="Time zone"
        {...field('timezone')}
        options={timezones}
        note="Days begin at midnight there. Past days are cut anew when it changes."
      />
      <Field
        label="Currency"
        {...field('currency')}
        options={currencies}
        note="Revenue is shown in it. Amounts in others are converted where a rate is set, and stand apart where none is."
      />
    </>
  );
};

/** Zones that have one currency between them, or nearly. Wrong guesses cost a click: the field is there to be changed. */
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

/** What a new site most likely is: seen from where it is added. */
export const guessedSite = (): SiteValues => {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const currency = currencyGuesses.find(([zone]) => zone.test(timezone))?.[1] ?? 'USD';
  return { domain: guessedDomain(location.hostname), timezone, currency };
};

/** `stats.example.com` measures `example.com`, more often than not. A host of this machine, or an address, tells nothing. */
const guessedDomain = (host: string): string => {
  const labels = host.split('.');
  if (labels.length < 2 || /^[\d.:[\]]+$/.test(host) || labels.at(-1) === 'localhost') return '';
  return labels.length > 2 ? labels.slice(1).join('.') : host;
};
