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
import { NumberHead } from '../parts/heads.tsx';
import { Spark } from '../parts/spark.tsx';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { askedSearch, eventListSearch, withChoice } from '../question.ts';
import { rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { EventDetail } from './event-detail.tsx';

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

const columns = ['events', 'visitors', 'perVisitor', 'delta', 'lastSeen'] as const;
/** Left out where there is little room. */
const minors: readonly string[] = ['perVisitor', 'lastSeen'];

const EventTable = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const answer = useAnswer<EventList>(askSite(site, 'events', eventListSearch(askedSearch(search))));
  return (
    <Answered answer={answer} waiting={<SkeletonRows count={12} />}>
      {({ data: events }) => {
        const names = search.getAll('event');
        const data = events.filter(({ name }) => names.length === 0 || names.includes(name));
        return data.length === 0 ? (
          <NoEvents />
        ) : (
          <div class="table-scroll">
            <table class="table events">
              <thead>
                <tr>
                  <th scope="col">{t('field.event')}</th>
                  <th scope="col" class="phone-minor">
                    <span class="unseen">{t('events.overTime')}</span>
                  </th>
                  {columns.map(name => (
                    <NumberHead
                      key={name}
                      figure={`event.${name}`}
                      class={minors.includes(name) ? 'phone-minor' : undefined}
                    />
                  ))}
                </tr>
              </thead>
              <tbody>
                {data.map(event => (
                  <EventRow key={event.name} event={event} />
                ))}
              </tbody>
            </table>
            {data.length === eventsMax && <p class="hint">{t('events.mostFrequent', { count: eventsMax })}</p>}
          </div>
        );
      }}
    </Answered>
  );
};

const EventRow = ({ event }: { event: EventItem }) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const { name, type, previousEvents } = event;
  const before = previousEvents === null ? undefined : t('events.inPrevious', { value: previousEvents });
  return (
    <tr>
      <th scope="row" class="event-name">
        <a href={href(withChoice(search, '_event', name))} class="cut" title={valueLabel('event', name)}>
          {valueLabel('event', name)}
        </a>{' '}
        <span class="kind" data-tip={t(`events.type.${type}.meaning`)}>
          {t(`events.type.${type}`)}
        </span>
      </th>
      <td class="phone-minor">
        <Spark values={event.spark.map(point => point.value)} />
      </td>
      <td class="number">{formatNumber(event.events)}</td>
      <td class="number">{formatNumber(event.visitors)}</td>
      <td class="number phone-minor">{formatRate(event.perVisitor)}</td>
      <td class="number">
        {event.delta === null ? (
          <span class="hint">{t('events.new')}</span>
        ) : (
          <Change delta={event.delta} isNeutral {...(before === undefined ? {} : { tip: before })} />
        )}
      </td>
      <td class="number phone-minor">{formatInstant(event.lastSeen, site.timezone)}</td>
    </tr>
  );
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
