/** The page of an invitation to a team. The token is behind `#`. */
import { useState } from 'preact/hooks';
import type { AcceptInvitation, InvitationOffer, Me } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { Actions, Field, NewPasswordField, useSubmit } from '../form/form.tsx';
import { SkeletonRows } from '../parts/states.tsx';
import { rich, t } from '../texts/text.ts';
import { useTokenAnswer } from './use-token-answer.ts';

export const InvitationPage = () => {
  const { token, isDead, reason, answer: offer } = useTokenAnswer<InvitationOffer>('/app/invitation');
  if (isDead) return <DeadInvitation reason={reason} />;
  return offer === null ? <SkeletonRows count={4} /> : <Offer token={token} offer={offer} />;
};

const DeadInvitation = ({ reason }: { reason: string | null }) => (
  <div class="entry">
    <h1>{t('page.invitation')}</h1>
    {reason !== null && <p role="alert">{reason}</p>}
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
          <NewPasswordField value={password} onValue={setPassword} form={form} />
        </>
      )}
      <Actions form={form} label={t('entry.join.action')} />
    </form>
  );
};
