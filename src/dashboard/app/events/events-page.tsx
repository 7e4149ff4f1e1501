/**
 * Events: the list of them, the most frequent first, or one of them in full when the address names
 * it.
 */

import { eventsMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import type { EventItem, EventList } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Controls, ExportLink } from '../controls/controls.tsx';
import { formatInstant, formatNumber, formatRate } from '../format.ts';
import { valueLabel } from '../names.ts';
import { Change } from '../parts/change.tsx';
import { numberHead } from '../parts/heads.tsx';
import { Spark } from '../parts/spark.tsx';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { askedSearch, withChoice } from '../question.ts';
import { rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { EventDetail } from './event-detail.tsx';
import { eventListSearch, namedEvents } from './event-names.ts';

export const EventsPage = () => {
  const { search } = useAddress();
  const name = search.get('_event');
  return (
    <>
      <Controls>
        <ExportLink label={t('events.export')} />
      </Controls>
      {name === null ? <EventTable /> : <EventDetail key={name} name={name} />}
    </>
  );
};

const EventTable = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const answer = useAnswer<EventList>(askSite(site, 'events', eventListSearch(askedSearch(search))));
  const columns: TableColumn<EventItem>[] = [
    {
      ...{ name: 'name', head: t('field.event'), class: 'event-name', isName: true },
      cell: event => <EventName {...event} />,
    },
    {
      ...{ name: 'spark', head: <span class="unseen">{t('events.overTime')}</span>, class: 'phone-minor' },
      cell: ({ spark }) => <Spark values={spark.map(point => point.value)} />,
    },
    { ...{ name: 'events', ...numberHead('event.events') }, cell: ({ events }) => formatNumber(events) },
    { ...{ name: 'visitors', ...numberHead('event.visitors') }, cell: ({ visitors }) => formatNumber(visitors) },
    {
      ...{ name: 'perVisitor', ...numberHead('event.perVisitor', 'phone-minor') },
      cell: ({ perVisitor }) => formatRate(perVisitor),
    },
    { ...{ name: 'delta', ...numberHead('event.delta', 'phone-minor') }, cell: EventChange },
    {
      ...{ name: 'lastSeen', ...numberHead('event.lastSeen', 'phone-minor') },
      cell: ({ lastSeen }) => formatInstant(lastSeen, site.timezone),
    },
  ];
  return (
    <Answered answer={answer} waiting={<SkeletonRows count={12} />}>
      {({ data: events }) => {
        const data = namedEvents(events, search);
        return data.length === 0 ? (
          <NoEvents />
        ) : (
          <div class="table-scroll sheet">
            <Table class="table events" columns={columns} rows={data} keyOf={({ name }) => name} />
            {data.length === eventsMax && <p class="hint">{t('events.mostFrequent', { count: eventsMax })}</p>}
          </div>
        );
      }}
    </Answered>
  );
};

const EventName = ({ name, type }: EventItem) => {
  const { search, href } = useAddress();
  return (
    <>
      <a href={href(withChoice(search, '_event', name))} class="cut" title={valueLabel('event', name)}>
        {valueLabel('event', name)}
      </a>{' '}
      <span class="kind" data-tip={t(`events.type.${type}.meaning`)}>
        {t(`events.type.${type}`)}
      </span>
    </>
  );
};

const EventChange = ({ delta, previousEvents }: EventItem) => {
  const before = previousEvents === null ? undefined : t('events.inPrevious', { value: previousEvents });
  if (delta === null) return <span class="hint">{t('events.new')}</span>;
  return <Change delta={delta} isNeutral {...(before === undefined ? {} : { tip: before })} />;
};

const NoEvents = () => (
  <Empty drawing="event">
    <p>{t('events.none')}</p>
    <p class="hint">
      {rich('events.none.note', {
        call: <code>{'tracker("Signup", { plan: "pro" })'}</code>,
        attribute: <code>data-track="Signup"</code>,
      })}
    </p>
  </Empty>
);
