/** Says which texts of a site became `(other)`, because its allowance of new ones was used up. */
import { textKinds } from '../../../model/text-kinds.ts';
import type { Outcomes } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { formatCount } from '../format.ts';
import { pagePath, sitePath } from '../routes.ts';
import { useAnswer } from '../use-answer.ts';

type OtherTexts = Outcomes['otherTexts'];

/** For pages that show such texts: nothing, unless an allowance was used up in the last day. */
export const UsedUpAlarm = () => {
  const { site } = useSite();
  const answer = useAnswer<Outcomes>(`/api/ext/sites/${site.id}/outcomes?range=24h`);
  const kinds = labelsOf(answer.data?.otherTexts ?? [], 'site');
  if (kinds === '') return null;
  return (
    <p class="lead" role="status">
      <strong>Some new {kinds} of the last 24 hours are shown as (other).</strong> More arrived than the site takes in a
      day. <a href={pagePath(sitePath(site.domain), 'health')}>See Health</a>
    </p>
  );
};

export const OtherTextsNote = ({ otherTexts }: { otherTexts: OtherTexts }) => (
  <>
    {otherTexts.map(({ kind, bound, texts }) => (
      <p class="lead" key={`${kind} ${bound}`}>
        <strong>{formatCount(texts, 'time')}</strong> new {textKinds[kind].label} became (other):{' '}
        {bound === 'site'
          ? 'more arrived than the site takes in a day.'
          : 'one network sent more than its part of what the site takes in a day.'}
      </p>
    ))}
  </>
);

const labelsOf = (otherTexts: OtherTexts, bound: OtherTexts[number]['bound']): string =>
  otherTexts
    .filter(row => row.bound === bound)
    .map(({ kind }) => textKinds[kind].label)
    .join(', ');
