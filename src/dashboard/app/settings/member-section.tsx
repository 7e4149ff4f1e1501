/** Who is in a team, invitations to it, and leaving it. */
import { useState } from 'preact/hooks';
import { memberParts } from '../../../model/grant.ts';
import { type MemberRole, memberRoles } from '../../../model/person.ts';
import type { HideablePart } from '../../../model/public-parts.ts';
import { isLimitable } from '../../../model/rights.ts';
import type {
  ChangeMember,
  InvitationMade,
  InvitationView,
  Invite,
  Me,
  MemberList,
  MemberView,
  TeamView,
} from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Checkbox, EmailField, useSubmit } from '../form/form.tsx';
import { useIsChanged } from '../form/use-edited.ts';
import { formatAgo, formatDay } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { AddButton } from './add-button.tsx';
import { JustMade } from './just-made.tsx';
import { Section } from './section.tsx';
import { SiteChoice, toggled } from './site-choice.tsx';

export const MemberSection = ({ team }: { team: TeamView }) => {
  const path = `/app/teams/${team.id}`;
  const list = useAnswer<MemberList>(`${path}/members`);
  const [edited, setEdited] = useState<MemberView | null>(null);
  const [made, setMade] = useState<InvitationMade | null>(null);
  const onMade = (next: InvitationMade): void => {
    setMade(next);
    list.retry();
  };
  return (
    <Section title={team.name} note={t('members.note')}>
      <Answered answer={list}>
        {({ data, invitations }) => (
          <>
            <MemberTable members={data} team={team} onEdit={setEdited} />
            {invitations.length > 0 && (
              <Invitations path={path} invitations={invitations} onMade={onMade} onRemoved={list.retry} />
            )}
          </>
        )}
      </Answered>
      {made !== null && (
        <JustMade
          text={made.url}
          label={t('members.link')}
          note={rich('members.copyLink', { strong: inner => <strong>{inner}</strong>, email: made.email })}
        />
      )}
      <AddButton label={t('members.invite')}>
        {closing => <InviteForm team={team} onMade={closing(onMade)} />}
      </AddButton>
      {edited !== null && (
        <MemberDialog
          member={edited}
          team={team}
          onClose={() => setEdited(null)}
          onChanged={() => {
            setEdited(null);
            list.retry();
          }}
        />
      )}
    </Section>
  );
};

interface MemberTableProps {
  members: readonly MemberView[];
  team: TeamView;
  onEdit: (member: MemberView) => void;
}

/** Owners are for owners to change. */
const MemberTable = ({ members, team, onEdit }: MemberTableProps) => {
  const { now } = useApp();
  const mayEdit = ({ role }: MemberView): boolean => role !== 'owner' || team.rights.includes('team');
  const columns: TableColumn<MemberView>[] = [
    {
      ...{ name: 'email', head: t('form.email'), isName: true },
      cell: ({ email, name }) => (
        <>
          {email}
          {name !== '' && <span class="field-note">{name}</span>}
        </>
      ),
    },
    {
      ...{ name: 'role', head: t('members.role') },
      cell: ({ isDisabled, role }) => (isDisabled ? t('members.disabled') : t(`role.${role}`)),
    },
    {
      ...{ name: 'sites', head: t('members.sites') },
      cell: ({ sites }) => (sites === null ? t('members.allSites') : t('members.siteCount', { count: sites.length })),
    },
    {
      ...{ name: 'seen', head: t('members.seen') },
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? t('settings.keys.neverUsed') : formatAgo(lastSeenAt, now())),
    },
    {
      ...{ name: 'edit', head: <span class="unseen">{t('note.edit')}</span>, class: 'number' },
      cell: member =>
        mayEdit(member) && (
          <button
            type="button"
            class="button"
            aria-label={t('members.edit', { email: member.email })}
            onClick={() => onEdit(member)}
          >
            {t('note.edit')}
          </button>
        ),
    },
  ];
  return <Table class="table members" columns={columns} rows={members} keyOf={({ id }) => id} />;
};

interface InvitationsProps {
  path: string;
  invitations: readonly InvitationView[];
  onMade: (made: InvitationMade) => void;
  onRemoved: () => void;
}

const Invitations = ({ path, invitations, onMade, onRemoved }: InvitationsProps) => {
  const columns: TableColumn<InvitationView>[] = [
    { name: 'email', head: t('members.invited'), isName: true, cell: ({ email }) => email },
    { name: 'role', head: t('members.role'), cell: ({ role }) => t(`role.${role}`) },
    { name: 'until', head: t('members.until'), cell: ({ expiresAt }) => formatDay(expiresAt.slice(0, 10)) },
    {
      ...{ name: 'edit', head: <span class="unseen">{t('note.edit')}</span>, class: 'number' },
      cell: one => <InvitationButtons path={`${path}/invitations/${one.id}`} {...{ one, onMade, onRemoved }} />,
    },
  ];
  return <Table class="table members" columns={columns} rows={invitations} keyOf={({ id }) => id} />;
};

type InvitationButtonsProps = Pick<InvitationsProps, 'path' | 'onMade' | 'onRemoved'> & { one: InvitationView };

const InvitationButtons = ({ path, one, onMade, onRemoved }: InvitationButtonsProps) => {
  const { client } = useApp();
  const again = useSubmit(async () => onMade(await client.post<InvitationMade>(`${path}/again`, {})));
  const remove = useSubmit(async () => {
    await client.post(`${path}/remove`, {});
    onRemoved();
  });
  return (
    <>
      <form onSubmit={again.submit}>
        <button type="submit" class="button" aria-label={t('members.again.of', { email: one.email })}>
          {t('members.again')}
        </button>
      </form>
      <AskedButton
        form={remove}
        label={t('members.takeBack')}
        name={t('members.takeBack.of', { email: one.email })}
        action={t('members.takeBack.now')}
      />
    </>
  );
};

/** What somebody is to be. */
type PlaceTyped = Required<Pick<ChangeMember, 'role' | 'sites' | 'hidden'>>;
const firstPlace: PlaceTyped = { role: 'viewer', sites: null, hidden: ['visits'] };

const PlaceFields = ({
  team,
  value,
  onValue,
}: {
  team: TeamView;
  value: PlaceTyped;
  onValue: (place: PlaceTyped) => void;
}) => {
  const { me } = useApp();
  const roles = memberRoles.filter(role => role !== 'owner' || team.rights.includes('team'));
  const sites = me?.sites.filter(site => site.team === team.id && site.members === null) ?? [];
  return (
    <>
      <label class="field">
        {t('members.role')}
        <select
          value={value.role}
          onChange={({ currentTarget }) => onValue({ ...value, role: currentTarget.value as MemberRole })}
        >
          {roles.map(role => (
            <option key={role} value={role}>
              {t(`role.${role}`)}
            </option>
          ))}
        </select>
        <span class="field-note">{t(`role.${value.role}.note`)}</span>
      </label>
      {isLimitable(value.role) && (
        <>
          <SiteChoice
            sites={sites}
            value={value.sites ?? []}
            onValue={chosen => onValue({ ...value, sites: chosen.length === 0 ? null : chosen })}
          />
          <HiddenChoice value={value.hidden} onValue={hidden => onValue({ ...value, hidden })} />
        </>
      )}
    </>
  );
};

const HiddenChoice = ({
  value,
  onValue,
}: {
  value: readonly HideablePart[];
  onValue: (hidden: HideablePart[]) => void;
}) => (
  <details class="choices-more">
    <summary>
      {value.length === 0 ? t('members.nothingHidden') : t('members.hiddenCount', { count: value.length })}
    </summary>
    <fieldset class="choices">
      <legend>{t('members.hidden')}</legend>
      {memberParts.map(part => (
        <Checkbox
          key={part}
          label={partLabel(part)}
          checked={value.includes(part)}
          onChange={isHidden => onValue(toggled(value, part, isHidden))}
        />
      ))}
    </fieldset>
  </details>
);

const partLabel = (part: (typeof memberParts)[number]): string =>
  part === 'visits' ? t('members.part.visits') : t(`part.${part}`);

const InviteForm = ({ team, onMade }: { team: TeamView; onMade: (made: InvitationMade) => void }) => {
  const { client } = useApp();
  const [email, setEmail] = useState('');
  const [place, setPlace] = useState(firstPlace);
  const form = useSubmit(async () => {
    const body: Invite = { email, ...placeSent(place) };
    onMade(await client.post<InvitationMade>(`/app/teams/${team.id}/invitations`, body));
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <EmailField value={email} onValue={setEmail} form={form} />
      <PlaceFields team={team} value={place} onValue={setPlace} />
      <Actions form={form} label={t('members.invite.action')} />
    </form>
  );
};

/** Whoever may make keys and invite others is not limited. */
const placeSent = (place: PlaceTyped): ChangeMember => (isLimitable(place.role) ? place : { role: place.role });

interface MemberDialogProps {
  member: MemberView;
  team: TeamView;
  onClose: () => void;
  onChanged: () => void;
}

const MemberDialog = ({ member, team, onClose, onChanged }: MemberDialogProps) => {
  const { client, me, setMe } = useApp();
  const path = `/app/teams/${team.id}/members/${member.id}`;
  const [place, setPlace] = useState<PlaceTyped>(member);
  const isChanged = useIsChanged(place);
  const [revokeKeys, setRevokeKeys] = useState(false);
  const after = async (): Promise<void> => {
    // What they may do themself may be another now.
    if (member.id === me?.person.id) await setMe(await client.get<Me>('/app/me'));
    onChanged();
  };
  const form = useSubmit(async () => {
    const { role, sites, hidden } = place;
    await client.post(path, placeSent({ role, sites, hidden }));
    await after();
  });
  const removing = useSubmit(async () => {
    await client.post(`${path}/remove`, { revokeKeys });
    await after();
  });
  return (
    <Dialog title={member.email} onClose={onClose}>
      <form class="form" onSubmit={form.submit}>
        <PlaceFields team={team} value={place} onValue={setPlace} />
        <Actions form={form} label={t('common.save')} disabled={!isChanged} />
      </form>
      <div class="form">
        <Checkbox label={t('members.revokeKeys')} checked={revokeKeys} onChange={setRevokeKeys} />
        <AskedButton
          form={removing}
          label={t('members.remove')}
          action={t('members.remove.now', { email: member.email })}
          danger
        />
        {removing.error !== null && (
          <p class="field-error" role="alert">
            {removing.error}
          </p>
        )}
      </div>
    </Dialog>
  );
};

/** For members who may not change others. */
export const LeaveSection = ({ team }: { team: TeamView }) => {
  const { client, setMe } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/teams/${team.id}/leave`, {});
    await setMe(await client.get<Me>('/app/me'));
  });
  return (
    <Section title={t('members.leave', { team: team.name })} note={t(`role.${team.role}.note`)}>
      <AskedButton form={form} label={t('members.leave.action')} action={t('members.leave.now', { team: team.name })} />
      {form.error !== null && (
        <p class="field-error" role="alert">
          {form.error}
        </p>
      )}
    </Section>
  );
};
