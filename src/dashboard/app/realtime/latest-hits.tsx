/**
 * The hits of the last minutes, newest first. The list rests while it is paused, and while somebody
 * points at it or has the focus in it: a row must not move away under a click. It is no live
 * region, since on a busy site it would never let a screen reader finish.
 */

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import type { LatestHitAnswer } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatClock } from '../format.ts';
import { noValue } from '../metric-text.ts';
import { valueLabel } from '../names.ts';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { askedSearch, searchText, withOnly } from '../question.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { visitorSearch } from '../visits/visit-table.tsx';

export const LatestHitsList = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const [isPaused, setPaused] = useState(false);
  const held = useHeld();
  const path = askSite(site, 'ext/latest-hits', askedSearch(search));
  const answer = useAnswer(path);
  const shown = useRef({ path, data: answer.data });
  // Another question is another list.
  if (!(isPaused || held.isHeld) || shown.current.path !== path || shown.current.data === undefined) {
    shown.current = { path, data: answer.pending ? undefined : answer.data };
  }
  const data = shown.current.data ?? answer.data;
  return (
    <section class="panel latest-hits" aria-label={t('live.title')}>
      <header class="panel-head">
        <h2>{t('live.title')}</h2>
        <button type="button" class="quick-chip" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {t('live.pause')}
        </button>
      </header>
      <div ref={held.list}>
        <Answered answer={{ ...answer, data }} waiting={<SkeletonRows count={8} />}>
          {({ data: hits }) => (hits.length === 0 ? <Empty>{t('live.none')}</Empty> : <HitTable hits={hits} />)}
        </Answered>
      </div>
    </section>
  );
};

/** Whether somebody points at the list, or has the focus in it. */
const useHeld = (): { list: RefObject<HTMLDivElement | null>; isHeld: boolean } => {
  const list = useRef<HTMLDivElement>(null);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const hold = (): void => setHeld(true);
    const release = (): void => setHeld(false);
    for (const type of ['mouseenter', 'focusin']) list.current!.addEventListener(type, hold);
    for (const type of ['mouseleave', 'focusout']) list.current!.addEventListener(type, release);
  }, []);
  return { list, isHeld };
};

const HitTable = ({ hits }: { hits: readonly LatestHitAnswer[] }) => {
  const { site } = useSite();
  const columns: TableColumn<LatestHitAnswer>[] = [
    {
      ...{ name: 'time', head: t('live.time'), class: 'nowrap soft' },
      cell: ({ at }) => <time dateTime={at}>{formatClock(at, site.timezone)}</time>,
    },
    { name: 'hit', head: t('live.hit'), cell: hit => <HitName hit={hit} /> },
    {
      ...{ name: 'visitor', head: t('live.visitor'), class: 'phone-minor' },
      cell: hit => <VisitorLink hit={hit} />,
    },
    {
      ...{ name: 'source', head: t('live.source'), class: 'phone-minor' },
      cell: ({ utmSource, referrer }) => (
        <span class="cut">{utmSource ?? referrer ?? <span class="soft">{t('live.direct')}</span>}</span>
      ),
    },
    {
      ...{ name: 'country', head: t('live.country') },
      cell: ({ country }) => <span class="cut">{country === null ? noValue : valueLabel('country', country)}</span>,
    },
    {
      ...{ name: 'device', head: t('live.device'), class: 'phone-minor' },
      cell: ({ device }) => (device === null ? noValue : valueLabel('device', device)),
    },
  ];
  return <Table columns={columns} rows={hits} keyOf={({ visit, at }, i) => `${visit} ${at} ${i}`} />;
};

const HitName = ({ hit: { event, path } }: { hit: LatestHitAnswer }) => {
  const { search, href } = useAddress();
  return (
    <span class="cut">
      {event !== null && <a href={href(withOnly(search, 'event', event))}>{valueLabel('event', event)}</a>}
      {event !== null && path !== null && ' '}
      {path !== null && (
        <a class={event === null ? undefined : 'soft'} href={href(withOnly(search, 'path', path))}>
          {valueLabel('path', path)}
        </a>
      )}
    </span>
  );
};

const VisitorLink = ({ hit }: { hit: LatestHitAnswer }) => {
  const { base } = useSite();
  const visitor = visitorSearch(new URLSearchParams(), hit.visitor);
  return (
    <span class="cut">
      <a href={`${base}/visits${searchText(visitor)}`}>{hit.identified ?? <code>{hit.visitor.slice(0, 8)}</code>}</a>
    </span>
  );
};
