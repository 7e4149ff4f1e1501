/** The page that a message of an alert leads to. The token is behind `#`; only buttons mute. */
import { useEffect, useState } from 'preact/hooks';
import { muteHours, muteSpans } from '../../../model/alerts/kinds.ts';
import type { MuteAlert, MuteOffer } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { useSubmit } from '../form/form.tsx';
import { SkeletonRows } from '../parts/states.tsx';
import { t } from '../texts/text.ts';

export const MutePage = () => {
  const { client } = useApp();
  const { hash } = useAddress();
  const token = hash.slice(1);
  const [offer, setOffer] = useState<MuteOffer | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    client.post<MuteOffer>('/app/mute', { token } satisfies MuteAlert).then(setOffer, (failure: unknown) => {
      if (failure instanceof RequestFailed) setError(failure.message);
    });
  }, [client, token]);
  return (
    <div class="entry">
      <h1>{t('page.mute')}</h1>
      {error !== null && <p role="alert">{error}</p>}
      {error === null && offer === null && <SkeletonRows count={2} />}
      {offer !== null && (
        <>
          <p>{t('mute.note', { name: offer.name, site: offer.site })}</p>
          <div class="form-actions">
            {muteSpans.map(span => (
              <Span key={span} {...{ token, span }} onMuted={setOffer} />
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
