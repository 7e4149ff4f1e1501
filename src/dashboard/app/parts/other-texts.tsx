/** Says which texts of a site became `(other)`, because its allowance of new ones was used up. */

import type { Outcomes } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { pagePath, sitePath } from '../routes.ts';
import { rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';

type OtherTexts = Outcomes['otherTexts'];

/** For pages that show such texts: nothing, unless an allowance was used up in the last day. */
export const UsedUpAlarm = () => {
  const { site } = useSite();
  const answer = useAnswer(askSite(site, 'ext/outcomes', { range: '24h' }));
  const kinds = labelsOf(answer.data?.otherTexts ?? [], 'site');
  if (kinds === '') return null;
  return (
    <p class="lead" role="status">
      {rich('otherTexts.alarm', {
        kinds,
        strong: inner => <strong>{inner}</strong>,
        a: inner => <a href={pagePath(sitePath(site.domain), 'health')}>{inner}</a>,
      })}
    </p>
  );
};

export const OtherTextsNote = ({ otherTexts }: { otherTexts: OtherTexts }) => (
  <>
    {otherTexts.map(({ kind, bound, texts }) => (
      <p class="lead" key={`${kind} ${bound}`}>
        {rich(`otherTexts.${bound}`, {
          count: texts,
          kind: t(`otherTexts.kind.${kind}`),
          strong: inner => <strong>{inner}</strong>,
        })}
      </p>
    ))}
  </>
);

const labelsOf = (otherTexts: OtherTexts, bound: OtherTexts[number]['bound']): string =>
  otherTexts
    .filter(row => row.bound === bound)
    .map(({ kind }) => t(`otherTexts.kind.${kind}`))
    .join(', ');
