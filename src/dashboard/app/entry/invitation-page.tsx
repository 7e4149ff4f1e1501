/** The page of an invitation to a team. The token is behind `#`. */
import { useEffect, useState } from 'preact/hooks';
import type { AcceptInvitation, InvitationOffer, LinkToken, Me } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { Actions, Field, NewPasswordField, useSubmit } from '../form/form.tsx';
import { SkeletonRows } from '../parts/states.tsx';
import { rich, t } from '../texts/text.ts';

export const InvitationPage = () => {
  const { client } = useApp();
  const { hash } = useAddress();
  const token = hash.slice(1);
  const [offer, setOffer] = useState<InvitationOffer | null>(null);
  const [error, setError] = useState<string | null>(token === '' ? '' : null);
  useEffect(() => {
    if (token === '') return;
    client
      .post<InvitationOffer>('/app/invitation', { token } satisfies LinkToken)
      .then(setOffer, (failure: unknown) => {
        if (failure instanceof RequestFailed) setError(failure.message);
      });
  }, [client, token]);
  if (error !== null) return <DeadInvitation reason={error} />;
  return offer === null ? <SkeletonRows count={4} /> : <Offer token={token} offer={offer} />;
};

const DeadInvitation = ({ reason }: { reason: string }) => (
  <div class="entry">
    <h1>{t('page.invitation')}</h1>
    {reason !== '' && <p role="alert">{reason}</p>}
    <p>
      <a href="/">{t('page.missing.back')}</a>
    </p>
  </div>
);

const Offer = ({ token, offer }: { token: string; offer: InvitationOffer }) => {
  const { me } = useApp();
  const { team, email, role, invitedBy, sites, hasPerson } = offer;
  const isOther = me !== null && me.person.email !== email;
  return (
    <div class="entry">
      <h1>{t('entry.join', { team })}</h1>
      <p>
        {rich('entry.join.note', {
          strong: inner => <strong>{inner}</strong>,
          inviter: invitedBy,
          email,
          role: t(`role.${role}`),
        })}
      </p>
      <p class="hint">
        {t(`role.${role}.note`)} {sites?.join(', ')}
      </p>
      {isOther ? (
        <p role="alert">{t('entry.join.other', { email: me.person.email })}</p>
      ) : hasPerson && me === null ? (
        <>
          <p>{t('entry.join.signIn')}</p>
          <p>
            <a class="button primary" href="/sign-in">
              {t('entry.signIn.action')}
            </a>
          </p>
        </>
      ) : (
        <Join token={token} isNew={!hasPerson} />
      )}
    </div>
  );
};

const Join = ({ token, isNew }: { token: string; isNew: boolean }) => {
  const { client, setMe } = useApp();
  const { go } = useAddress();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const form = useSubmit(async () => {
    const body: AcceptInvitation = isNew ? { token, name, password } : { token };
    await setMe(await client.post<Me>('/app/invitation/accept', body));
    go('/', { replace: true });
  });
  return (
    <form class="form" onSubmit={form.submit}>
      {isNew && (
        <>
          <Field
            label={t('entry.join.name')}
            name="name"
            autocomplete="name"
            maxLength={100}
            value={name}
            onValue={setName}
            form={form}
          />
          <NewPasswordField
            label={t('settings.password')}
            name="password"
            value={password}
            onValue={setPassword}
            form={form}
          />
        </>
      )}
      <Actions form={form} label={t('entry.join.action')} />
    </form>
  );
};
