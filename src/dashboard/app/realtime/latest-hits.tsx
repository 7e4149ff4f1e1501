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
import { valueLabel } from '../names.ts';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
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
          {({ data: hits }) => (hits.length === 0 ? <Empty>{t('live.none')}</Empty> : <Table hits={hits} />)}
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

const Table = ({ hits }: { hits: readonly LatestHitAnswer[] }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">{t('live.time')}</th>
        <th scope="col">{t('live.hit')}</th>
        <th scope="col" class="phone-minor">
          {t('live.visitor')}
        </th>
        <th scope="col" class="phone-minor">
          {t('live.source')}
        </th>
        <th scope="col">{t('live.country')}</th>
        <th scope="col" class="phone-minor">
          {t('live.device')}
        </th>
      </tr>
    </thead>
    <tbody>
      {hits.map((hit, i) => (
        <Row key={`${hit.visit} ${hit.at} ${i}`} hit={hit} />
      ))}
    </tbody>
  </table>
);

const Row = ({ hit }: { hit: LatestHitAnswer }) => {
  const { search, href } = useAddress();
  const { site, base } = useSite();
  const { country, device } = hit;
  const visitor = visitorSearch(new URLSearchParams(), hit.visitor);
  return (
    <tr>
      <td class="nowrap soft">
        <time dateTime={hit.at}>{formatClock(hit.at, site.timezone)}</time>
      </td>
      <td>
        <span class="cut">
          {hit.event !== null && (
            <a href={href(withOnly(search, 'event', hit.event))}>{valueLabel('event', hit.event)}</a>
          )}
          {hit.event !== null && hit.path !== null && ' '}
          {hit.path !== null && (
            <a class={hit.event === null ? undefined : 'soft'} href={href(withOnly(search, 'path', hit.path))}>
              {valueLabel('path', hit.path)}
            </a>
          )}
        </span>
      </td>
      <td class="phone-minor">
        <span class="cut">
          <a href={`${base}/visits${searchText(visitor)}`}>
            {hit.identified ?? <code>{hit.visitor.slice(0, 8)}</code>}
          </a>
        </span>
      </td>
      <td class="phone-minor">
        <span class="cut">{hit.utmSource ?? hit.referrer ?? <span class="soft">{t('live.direct')}</span>}</span>
      </td>
      <td>
        <span class="cut">{country === null ? '–' : valueLabel('country', country)}</span>
      </td>
      <td class="phone-minor">{device === null ? '–' : valueLabel('device', device)}</td>
    </tr>
  );
};
