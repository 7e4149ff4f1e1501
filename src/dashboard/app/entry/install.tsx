/** How a site is measured: the tag, and whether its hits arrive. */
import { useEffect, useState } from 'preact/hooks';
import { outcomes } from '../../../model/outcomes.ts';
import type { Arrivals, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { formatCount } from '../format.ts';
import { CopyField } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { sitePath } from '../routes.ts';

/** As a page of its own, after a site was added. */
export const Install = ({ site }: { site: SiteView }) => (
  <div class="entry">
    <h1>{site.domain}</h1>
    <TagAndWait site={site} />
    <p>
      <a class="button primary" href={sitePath(site.domain)}>
        To the numbers
      </a>
    </p>
  </div>
);

/** In the place of a site's numbers, for as long as there are none; nothing once a hit was recorded. */
export const FirstHit = ({ site }: { site: SiteView }) => {
  const { client } = useApp();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    client.get<Arrivals>(arrivalsPath(site.id)).then(
      ({ received }) => setMissing(!received),
      // Then nothing is said.
      () => {},
    );
  }, [client, site.id]);
  if (!isMissing) return null;
  return (
    <section class="first-hit" aria-label="First hit">
      <h2>Nothing was recorded yet</h2>
      <TagAndWait site={site} />
    </section>
  );
};

const TagAndWait = ({ site }: { site: SiteView }) => (
  <>
    <p>
      Put this line into the <code>&lt;head&gt;</code> of every page:
    </p>
    <CopyField text={site.tag} label="Script tag" lines={3} />
    <Waiting site={site} />
    <p class="hint">
      A visit from localhost sends nothing, unless <code>localStorage.tracker_debug = 1</code> says so.
    </p>
  </>
);

const arrivalsPath = (siteId: string): string => `/app/sites/${siteId}/arrivals`;

const pollMs = 1000;

/** Says when the first hit is there; until then, what became of those that came and were not recorded. */
const Waiting = ({ site }: { site: SiteView }) => {
  const arrivals = useArrivals(site.id);
  const received = arrivals?.received ?? false;
  const others = arrivals?.outcomes.filter(({ outcome }) => outcome !== 'recorded') ?? [];
  return (
    <div class={received ? 'waiting received' : 'waiting'} role="status">
      <span class="waiting-mark">{received ? <Icon name="check" /> : <span class="pulse" />}</span>
      <div>
        <p>{received ? 'The first hit is received.' : 'Waiting for the first hit …'}</p>
        {!received && others.length > 0 && (
          <ul class="hint">
            {others.map(({ outcome, hits }) => (
              <li key={outcome}>
                {formatCount(hits, 'hit')} came and ended as <code>{outcome}</code>: {outcomes[outcome].meaning}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
};

const useArrivals = (siteId: string): Arrivals | null => {
  const { client } = useApp();
  const [arrivals, setArrivals] = useState<Arrivals | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const look = async (): Promise<void> => {
      // A look that fails is followed by the next one.
      const next = await client.get<Arrivals>(arrivalsPath(siteId)).catch(() => null);
      if (isGone) return;
      if (next !== null) setArrivals(next);
      if (next?.received !== true) timer = setTimeout(look, pollMs);
    };
    void look();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [client, siteId]);
  return arrivals;
};
