/** The page that a message of an alert leads to. The token is behind `#`; only buttons mute. */
import { muteHours, muteSpans } from '../../../model/alerts/kinds.ts';
import type { MuteAlert, MuteOffer } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { useSubmit } from '../form/form.tsx';
import { SkeletonRows } from '../parts/states.tsx';
import { t } from '../texts/text.ts';
import { useTokenAnswer } from './use-token-answer.ts';

export const MutePage = () => {
  const { isDead, reason, token, answer: offer, setAnswer } = useTokenAnswer<MuteOffer>('/app/mute');
  return (
    <div class="entry">
      <h1>{t('page.mute')}</h1>
      {reason !== null && <p role="alert">{reason}</p>}
      {isDead && (
        <p>
          <a href="/">{t('entry.openDashboard')}</a>
        </p>
      )}
      {!isDead && offer === null && <SkeletonRows count={2} />}
      {offer !== null && (
        <>
          <p>{t('mute.note', { name: offer.name, site: offer.site })}</p>
          <div class="form-actions">
            {muteSpans.map(span => (
              <Span key={span} {...{ token, span }} onMuted={setAnswer} />
            ))}
          </div>
          <p class="hint" role="status">
            {offer.isMuted && t('mute.done')}
          </p>
        </>
      )}
    </div>
  );
};

interface SpanProps {
  token: string;
  span: keyof typeof muteHours;
  onMuted: (offer: MuteOffer) => void;
}

const Span = ({ token, span, onMuted }: SpanProps) => {
  const { client } = useApp();
  const form = useSubmit(async () =>
    onMuted(await client.post<MuteOffer>('/app/mute', { token, hours: muteHours[span] } satisfies MuteAlert)),
  );
  return (
    <button type="button" class="button" aria-disabled={form.isPending} onClick={form.submit}>
      {t(`mute.${span}`)}
    </button>
  );
};
