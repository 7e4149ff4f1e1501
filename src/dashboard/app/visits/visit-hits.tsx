/** The hits of one visit, in order. */

import { type VisitFieldName, visitFieldNames } from '../../../model/visit-fields.ts';
import { useAddress } from '../address.tsx';
import type { Visit, VisitHitAnswer } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatClock, formatMoney, formatPercent, formatSeconds, formatValue } from '../format.ts';
import { valueLabel } from '../names.ts';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { withOnly } from '../question.ts';
import { t, textIfAny } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';

export const VisitHits = ({ visit }: { visit: Visit }) => {
  const { site } = useSite();
  const answer = useAnswer(askSite(site, 'ext/hits', { visit: visit.id }), visit.id);
  return (
    <div class="visit-detail">
      <Facts visit={visit} />
      <Answered answer={answer} waiting={<SkeletonRows count={4} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('visits.deleted')}</Empty>
          ) : (
            <ol class="hits">
              {data.map((hit, i) => (
                <Hit key={i} hit={hit} />
              ))}
            </ol>
          )
        }
      </Answered>
    </div>
  );
};

/** The visitor is not a dimension, and the pages are listed below. */
const shownElsewhere = ['identified', 'entryPath', 'exitPath'] as const;
type FactName = Exclude<VisitFieldName, (typeof shownElsewhere)[number]>;
const isFact = (name: VisitFieldName): name is FactName => !shownElsewhere.some(other => other === name);
/** Attributes of the whole visit, each a link that filters by it. */
const facts = visitFieldNames.filter(isFact);

const Facts = ({ visit }: { visit: Visit }) => {
  const { search, href } = useAddress();
  return (
    <p class="facts">
      {facts.map(field => {
        const value = visit[field];
        if (value === null) return null;
        return (
          <a key={field} href={href(withOnly(search, field, value))} data-tip={t('visits.filterBy')}>
            {valueLabel(field, value)}
          </a>
        );
      })}
      {visit.screen !== null && <span>{visit.screen.replace('x', ' × ')}</span>}
      <code>{visit.visitor}</code>
    </p>
  );
};

const Hit = ({ hit }: { hit: VisitHitAnswer }) => {
  const { site } = useSite();
  return (
    <li class={`hit ${hit.type}`}>
      <time dateTime={hit.at}>{formatClock(hit.at, site.timezone)}</time>
      <div>
        <p class="hit-name">
          {hit.type === 'pageview' ? (
            <>
              <span class="hit-path">
                {valueLabel('path', hit.path ?? '')}
                {hit.query !== null && <span class="soft">?{valueLabel('query', hit.query)}</span>}
              </span>
              {hit.title !== null && <span class="soft"> {hit.title}</span>}
            </>
          ) : (
            <>
              <strong>{hit.event === null ? typeLabel(hit.type) : valueLabel('event', hit.event)}</strong>
              <span class="kind">{typeLabel(hit.type)}</span>
              {hit.revenue !== null && <span> {formatMoney(hit.revenue.amount, hit.revenue.currency)}</span>}
            </>
          )}
        </p>
        {hit.secondsOnPage !== null && <p class="soft">{lookedAt(hit, hit.secondsOnPage)}</p>}
        {hit.properties.length > 0 && (
          <dl class="properties">
            {hit.properties.map(({ key, value }) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{formatValue(value ?? t('visits.emptyValue'))}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </li>
  );
};

const typeLabel = (type: string): string => textIfAny(`hit.${type}`) ?? type;

/** Such as `2m 10s on this page, 80% of it seen`. */
const lookedAt = ({ scroll }: VisitHitAnswer, secondsOnPage: number): string => {
  const time = formatSeconds(secondsOnPage);
  if (scroll === null) return t('visits.lookedAt', { time });
  const part = formatPercent(scroll);
  return secondsOnPage === 0 ? t('visits.seen', { part }) : t('visits.lookedAtAndSeen', { time, part });
};
