/** Links to public pages of a site: a list, making one, what each shows and to whom. */
import { useState } from 'preact/hooks';
import { type PublicPart, partsBesideHits, publicPartNames } from '../../../model/public-parts.ts';
import type { AddShare, ChangeShare, ChangeSite, DefinitionLists, ShareList, ShareView, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Choice } from '../form/choice.tsx';
import { Actions, Checkbox, Field, NameField, type Submit, useSubmit } from '../form/form.tsx';
import { useEdited, useIsChanged } from '../form/use-edited.ts';
import { formatAgo, formatDay } from '../format.ts';
import { CopyField } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { AddButton } from './add-button.tsx';
import { JustMade } from './just-made.tsx';
import { Section } from './section.tsx';
import { toggled } from './site-choice.tsx';

export const ShareSection = ({ site }: { site: SiteView }) => {
  const path = `/app/sites/${site.id}/shares`;
  const list = useAnswer<ShareList>(path);
  const segments = useAnswer<DefinitionLists>(`/app/sites/${site.id}/definitions`).data?.segments ?? [];
  const names = segments.map(({ name }) => name);
  const [made, setMade] = useState<ShareView | null>(null);
  const [edited, setEdited] = useState<ShareView | null>(null);
  return (
    <Section title={t('settings.share')} note={t('settings.share.note')}>
      <Answered answer={list}>
        {({ data }) =>
          data.length === 0 ? <p class="hint">{t('share.none')}</p> : <ShareTable shares={data} onEdit={setEdited} />
        }
      </Answered>
      {made !== null && <JustMade text={made.url} label={t('settings.share.address')} />}
      <AddButton label={t('share.new')}>
        {closing => (
          <NewShare
            path={path}
            segments={names}
            onMade={closing(share => {
              setMade(share);
              list.retry();
            })}
          />
        )}
      </AddButton>
      {list.data !== undefined && list.data.data.length > 0 && <EmbedForm site={site} shares={list.data.data} />}
      {edited !== null && (
        <ShareDialog
          path={`${path}/${edited.id}`}
          share={edited}
          segments={names}
          onClose={() => setEdited(null)}
          onChanged={() => {
            setEdited(null);
            setMade(null);
            list.retry();
          }}
        />
      )}
    </Section>
  );
};

const ShareTable = ({ shares, onEdit }: { shares: readonly ShareView[]; onEdit: (share: ShareView) => void }) => {
  const { now } = useApp();
  const columns: TableColumn<ShareView>[] = [
    {
      ...{ name: 'name', head: t('common.name'), isName: true },
      cell: ({ name, hasPassword }) => (
        <>
          {name}
          {hasPassword && <span class="field-note">{t('share.hasPassword')}</span>}
        </>
      ),
    },
    {
      ...{ name: 'segment', head: t('share.segment') },
      cell: ({ segment }) => segment ?? t('share.segment.none'),
    },
    {
      ...{ name: 'expires', head: t('share.expires') },
      cell: ({ expires }) => (expires === null ? t('settings.keys.neverExpires') : formatDay(expires)),
    },
    {
      ...{ name: 'used', head: t('settings.keys.used') },
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('settings.keys.neverUsed') : formatAgo(lastUsedAt, now())),
    },
    {
      ...{ name: 'edit', head: <span class="unseen">{t('note.edit')}</span>, class: 'number' },
      cell: share => (
        <button
          type="button"
          class="button"
          aria-label={t('share.edit', { name: share.name })}
          onClick={() => onEdit(share)}
        >
          {t('note.edit')}
        </button>
      ),
    },
  ];
  return <Table class="table members" columns={columns} rows={shares} keyOf={({ id }) => id} />;
};

/** A link as it is typed; texts are empty for none. */
interface Typed {
  name: string;
  parts: PublicPart[];
  segment: string;
  expires: string;
  password: string;
}
const firstTyped: Typed = { name: '', parts: [], segment: '', expires: '', password: '' };

/** An empty password changes none. */
const sentOf = ({ password, ...typed }: Typed): Typed | Omit<Typed, 'password'> =>
  password === '' ? typed : { ...typed, password };

interface ShareFieldsProps {
  value: Typed;
  onValue: (value: Typed) => void;
  segments: readonly string[];
  form: Submit;
  passwordNote?: string;
}

const ShareFields = ({ value, onValue, segments, form, passwordNote }: ShareFieldsProps) => {
  const set = (change: Partial<Typed>): void => onValue({ ...value, ...change });
  // A segment that has gone stays chosen until somebody chooses another.
  const known = value.segment === '' || segments.includes(value.segment) ? segments : [...segments, value.segment];
  return (
    <>
      <NameField label={t('common.name')} value={value.name} onValue={name => set({ name })} form={form} />
      <Choice
        label={t('share.segment')}
        note={t('share.segment.note')}
        value={value.segment}
        onValue={segment => set({ segment })}
        options={[['', t('share.segment.none')], ...known.map(name => [name, name] as const)]}
      />
      <PartsChoice
        isOfSegment={value.segment !== ''}
        summary={
          value.parts.length === 0 ? t('share.parts.none') : t('share.parts.count', { count: value.parts.length })
        }
        value={value.parts}
        onValue={parts => set({ parts })}
      />
      <Field
        label={t('share.expires')}
        name="expires"
        type="date"
        note={t('share.expires.note')}
        value={value.expires}
        onValue={expires => set({ expires })}
        form={form}
      />
      <Field
        label={t('form.password')}
        name="password"
        type="password"
        autocomplete="new-password"
        note={passwordNote ?? t('share.password.note')}
        value={value.password}
        onValue={password => set({ password })}
        form={form}
      />
    </>
  );
};

/** Which parts are shown besides numbers; `summary` says what that comes to. */
export const PartsChoice = ({
  isOfSegment,
  summary,
  value,
  onValue,
}: {
  isOfSegment: boolean;
  summary: string;
  value: readonly PublicPart[];
  onValue: (parts: PublicPart[]) => void;
}) => (
  <details class="choices-more">
    <summary>{summary}</summary>
    <fieldset class="choices">
      <legend>{t('settings.share.parts')}</legend>
      {publicPartNames
        .filter(part => !isOfSegment || !(partsBesideHits as readonly string[]).includes(part))
        .map(part => (
          <Checkbox
            key={part}
            label={t(`part.${part}`)}
            note={t(`part.${part}.meaning`)}
            checked={value.includes(part)}
            onChange={isOn => onValue(toggled(value, part, isOn))}
          />
        ))}
    </fieldset>
  </details>
);

interface NewShareProps {
  /** Of the list. */
  path: string;
  segments: readonly string[];
  onMade: (share: ShareView | null) => void;
}

const NewShare = ({ path, segments, onMade }: NewShareProps) => {
  const { client } = useApp();
  const [typed, setTyped] = useState(firstTyped);
  const form = useSubmit(async () => {
    const { data } = await client.post<ShareList>(path, sentOf(typed) satisfies AddShare);
    onMade(data.at(-1) ?? null);
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <ShareFields value={typed} onValue={setTyped} segments={segments} form={form} />
      <Actions form={form} label={t('settings.share.create')} />
    </form>
  );
};

interface ShareDialogProps {
  /** Of the link. */
  path: string;
  share: ShareView;
  segments: readonly string[];
  onClose: () => void;
  onChanged: () => void;
}

const ShareDialog = ({ path, share, segments, onClose, onChanged }: ShareDialogProps) => {
  const { client } = useApp();
  const { name, parts, segment, expires, hasPassword } = share;
  const [typed, setTyped] = useState<Typed>({
    ...{ name, parts, segment: segment ?? '', expires: expires ?? '' },
    password: '',
  });
  const [isOpen, setOpen] = useState(false);
  const posting = (to: string, body: object) => async (): Promise<void> => {
    await client.post<ShareList>(to, body);
    onChanged();
  };
  const change: ChangeShare = isOpen ? { ...typed, password: '' } : sentOf(typed);
  const isChanged = useIsChanged([typed, isOpen]);
  const form = useSubmit(posting(path, change));
  const renewing = useSubmit(posting(`${path}/address`, {}));
  const removing = useSubmit(posting(`${path}/remove`, {}));
  const error = renewing.error ?? removing.error;
  return (
    <Dialog title={name} onClose={onClose}>
      <CopyField text={share.url} label={t('settings.share.address')} />
      <form class="form" onSubmit={form.submit}>
        <ShareFields
          value={typed}
          onValue={setTyped}
          segments={segments}
          form={form}
          {...(hasPassword && { passwordNote: t('share.password.keep') })}
        />
        {hasPassword && <Checkbox label={t('share.password.remove')} checked={isOpen} onChange={setOpen} />}
        <Actions form={form} label={t('common.save')} disabled={!isChanged} />
      </form>
      <div class="form-actions">
        <AskedButton
          form={renewing}
          label={t('settings.share.newAddress')}
          action={t('settings.share.newAddress.now')}
          note={t('settings.share.newAddress.note')}
        />
        <AskedButton
          form={removing}
          label={t('common.remove')}
          action={t('settings.share.remove')}
          note={t('settings.share.remove.note')}
          danger
        />
        {error !== null && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
};

/** Which hosts may show the pages in a frame, and what to put into their pages. */
const EmbedForm = ({ site, shares }: { site: SiteView; shares: readonly ShareView[] }) => {
  const { client, setSite } = useApp();
  const {
    values: hosts,
    setValues: setHosts,
    form,
    end,
  } = useEdited(site.embedHosts.join('\n'), async text => {
    const change: ChangeSite = { embedHosts: text.split('\n').map(host => host.trim()) };
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}`, change));
  });
  // A frame sends no cookie, which a password needs.
  const shown = shares.find(({ hasPassword }) => !hasPassword);
  const snippet = `<iframe src="${shown?.url}" title="${site.domain}" loading="lazy" style="width: 100%; height: 1200px; border: 0"></iframe>`;
  return (
    <form class="form" onSubmit={form.submit}>
      <Field
        label={t('share.hosts')}
        name="embedHosts"
        note={t('share.hosts.note')}
        lines={2}
        value={hosts}
        onValue={setHosts}
        form={form}
      />
      <Actions {...end} label={t('share.save')} />
      {site.embedHosts.length > 0 && shown !== undefined && (
        <CopyField text={snippet} label={t('share.snippet')} lines={3} />
      )}
    </form>
  );
};
