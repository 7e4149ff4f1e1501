/** The properties of an event, and the values of the chosen one. */

import { propertyKeysMax, propertyValuesMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import type { PropertyKey, PropertyKeys, PropertyValuesAnswer } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatNumber, formatPercent, formatShort, formatValue } from '../format.ts';
import { numberHead } from '../parts/heads.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { BarName, mostOf, Table, type TableColumn } from '../parts/table.tsx';
import { askedSearch, withChoice, withOnly } from '../question.ts';
import { t, textIfAny } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';

/** A question about one event, with the period and filters of the address. */
export const eventPath = (
  site: { id: string },
  search: URLSearchParams,
  name: string,
  extra: Readonly<Record<string, string>>,
) => {
  const asked = askedSearch(search);
  asked.set('event', name);
  for (const [key, value] of Object.entries(extra)) asked.set(key, value);
  return askSite(site, 'events', asked);
};

export const EventProperties = ({ name }: { name: string }) => {
  const { search } = useAddress();
  const { site } = useSite();
  const answer = useAnswer<PropertyKeys>(eventPath(site, search, name, {}));
  return (
    <Answered answer={answer}>
      {({ data }) => {
        if (data.length === 0) return <Empty>{t('events.noProperties')}</Empty>;
        const chosen = data.find(row => row.key === search.get('_property')) ?? data[0]!;
        return (
          <div class="panels">
            <section class="panel" aria-label={t('events.properties')}>
              <header class="panel-head">
                <h2>{t('events.properties')}</h2>
              </header>
              <Keys keys={data} chosen={chosen.key} />
            </section>
            <section class="panel" aria-label={t('events.valuesOf', { property: chosen.key })}>
              <header class="panel-head">
                <h2>{chosen.key}</h2>
              </header>
              <Values event={name} property={chosen} />
            </section>
          </div>
        );
      }}
    </Answered>
  );
};

const Keys = ({ keys, chosen }: { keys: readonly PropertyKey[]; chosen: string }) => {
  const { search, href } = useAddress();
  const columns: TableColumn<PropertyKey>[] = [
    {
      ...{ name: 'key', ...numberHead('property.key'), class: 'row-name' },
      cell: ({ key, coverage }) => (
        <BarName part={coverage / 100} href={href(withChoice(search, '_property', key))} isChosen={key === chosen}>
          {key}
        </BarName>
      ),
    },
    { ...{ name: 'coverage', ...numberHead('property.coverage') }, cell: ({ coverage }) => formatPercent(coverage) },
    { ...{ name: 'values', ...numberHead('property.values') }, cell: ({ values }) => formatNumber(values) },
    {
      ...{ name: 'type', ...numberHead('property.dataType') },
      cell: ({ dataType }) => textIfAny(`events.dataType.${dataType}`) ?? dataType,
    },
  ];
  return (
    <>
      <Table
        class="rows"
        columns={columns}
        rows={keys}
        keyOf={({ key }) => key}
        rowOf={({ key }) => ({ class: key === chosen ? 'chosen' : undefined })}
      />
      {keys.length === propertyKeysMax && (
        <p class="hint">{t('events.mostFrequentOnly', { count: propertyKeysMax })}</p>
      )}
    </>
  );
};

/** Where each number came once, the histogram says it all. */
const Values = ({ event, property }: { event: string; property: PropertyKey }) => {
  const { search } = useAddress();
  const { site } = useSite();
  const path = eventPath(site, search, event, { property: property.key, histogram: '1' });
  const answer = useAnswer<PropertyValuesAnswer>(path, property.key);
  return (
    <Answered answer={answer}>
      {values => (
        <>
          {property.numeric !== null && <Numbers numeric={property.numeric} />}
          {values.histogram.length > 0 && <Histogram bins={values.histogram} />}
          {(values.histogram.length === 0 || mostOf(values.data.map(({ value }) => value)) > 1) && (
            <ValueRows event={event} property={property.key} values={values} />
          )}
        </>
      )}
    </Answered>
  );
};

const numericNames = ['sum', 'avg', 'p50', 'min', 'max'] as const;

const Numbers = ({ numeric }: { numeric: NonNullable<PropertyKey['numeric']> }) => (
  <dl class="numbers">
    {numericNames.map(name => (
      <div key={name}>
        <dt>{t(`events.${name}`)}</dt>
        <dd>{formatNumber(numeric[name])}</dd>
      </div>
    ))}
  </dl>
);

/** A bar per bin. A tip shows its range and number; screen readers read a list. */
const Histogram = ({ bins }: { bins: PropertyValuesAnswer['histogram'] }) => {
  const most = Math.max(...bins.map(bin => bin.value), 1);
  return (
    <figure class="histogram">
      <ol aria-label={t('events.histogram')}>
        {bins.map(({ name, value }) => (
          <li key={name} data-tip={t('events.bin', { range: name, value })}>
            <span class="unseen">{t('events.bin', { range: name, value })}</span>
            <span class="histogram-bar" style={{ height: `${(value / most) * 100}%` }} />
          </li>
        ))}
      </ol>
      <figcaption class="scale" aria-hidden="true">
        <span>{formatShort(bins[0]!.from)}</span>
        <span>{formatShort(bins.at(-1)!.to)}</span>
      </figcaption>
    </figure>
  );
};

interface ValueRowsProps {
  event: string;
  property: string;
  values: PropertyValuesAnswer;
}
const ValueRows = ({ event, property, values: { data, total } }: ValueRowsProps) => {
  const { search, href } = useAddress();
  const most = mostOf(data.map(row => row.value));
  const filtered = (value: string): URLSearchParams => {
    const byEvent = withOnly(search, 'event', event);
    return withOnly(withOnly(byEvent, 'propKey', property), 'propValue', value);
  };
  const meaning = t('events.valueTip', { meaning: t('value.value.meaning'), total });
  const columns: TableColumn<PropertyValuesAnswer['data'][number]>[] = [
    {
      ...{ name: 'name', head: t('events.value'), class: 'row-name' },
      cell: ({ name, value }) => (
        <BarName part={value / most} title={name} href={href(filtered(name === '(empty)' ? '' : name))}>
          {formatValue(name)}
        </BarName>
      ),
    },
    {
      ...{ name: 'value', ...numberHead({ label: t('value.value'), meaning }, 'count') },
      cell: ({ value }) => formatNumber(value),
    },
    { ...{ name: 'share', ...numberHead('value.share', 'share') }, cell: ({ share }) => formatPercent(share) },
  ];
  return (
    <>
      <Table class="rows" columns={columns} rows={data} keyOf={({ name }) => name} />
      {data.length === propertyValuesMax && (
        <p class="hint">{t('events.mostFrequentOnly', { count: propertyValuesMax })}</p>
      )}
    </>
  );
};
