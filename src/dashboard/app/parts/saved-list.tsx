/**
 * What a site has under names: choosing one, and for its owner saving what the page shows, and
 * removing. The content of a popover.
 */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RemoveDefinition, SaveDefinition } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, NameField, useSubmit } from '../form/form.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { Answered } from './states.tsx';

export interface SavedListProps {
  kind: 'segment' | 'funnel';
  /** What would be saved; null for nothing. */
  current: string | null;
  /** Tells the owner how to come to something that can be saved. */
  hint: string;
  isChosen(name: string, text: string): boolean;
  /** The search that shows one. */
  chosen(name: string, text: string): URLSearchParams;
  /** The search without one that is removed. */
  without?(name: string): URLSearchParams;
  /** The search after one got another name. */
  renamed?(name: string, newName: string): URLSearchParams;
  onDone: () => void;
}

const lists = {
  segment: { plural: 'segments', field: 'filters' },
  funnel: { plural: 'funnels', field: 'question' },
} as const;

export const SavedList = (props: SavedListProps) => {
  const { kind, current, hint } = props;
  const { site, rights } = useSite();
  const { plural, field } = lists[kind];
  const answer = useAnswer(askSite(site, `ext/${plural}` as const));
  const rows = answer.data?.data.map(row => ({ name: row.name, text: row[field]! })) ?? [];
  const root = useRef<HTMLDivElement>(null);
  const isThere = answer.data !== undefined;
  // The popover gave the focus before there was anything to take it.
  useLayoutEffect(() => {
    if (isThere) root.current!.querySelector<HTMLElement>('a, input')?.focus();
  }, [isThere]);
  return (
    <div class="saved" ref={root}>
      <Answered answer={answer} waiting={<p class="hint">{t('common.loading')}…</p>}>
        {() => (
          <>
            {rows.length === 0 && !rights.has('define') && <p class="hint">{t(`saved.none.${plural}`)}</p>}
            <ul aria-label={t(`saved.list.${plural}`)}>
              {rows.map(row => (
                <SavedRow key={row.name} {...props} {...row} onChanged={answer.retry} />
              ))}
            </ul>
            {rights.has('define') &&
              (current === null ? (
                <p class="hint">{hint}</p>
              ) : (
                <SaveForm {...props} current={current} names={rows.map(({ name }) => name)} />
              ))}
          </>
        )}
      </Answered>
    </div>
  );
};

interface SavedRowProps extends SavedListProps {
  name: string;
  text: string;
  onChanged: () => void;
}

const SavedRow = ({ kind, name, text, isChosen, chosen, without, renamed, onDone, onChanged }: SavedRowProps) => {
  const { client } = useApp();
  const { site, rights } = useSite();
  const { href, ask } = useAddress();
  const form = useSubmit(async () => {
    await client.post(`/app/sites/${site.id}/definitions/remove`, { kind, name } satisfies RemoveDefinition);
    client.forget();
    if (without !== undefined && isChosen(name, text)) ask(without(name));
    onChanged();
  });
  const [isRenamed, setRenamed] = useState(false);
  if (isRenamed) {
    return (
      <li>
        <RenameForm
          {...{ kind, name, text }}
          onClose={() => setRenamed(false)}
          onRenamed={next => {
            if (renamed !== undefined && isChosen(name, text)) ask(renamed(name, next));
            onChanged();
          }}
        />
      </li>
    );
  }
  return (
    <li>
      <a href={href(chosen(name, text))} aria-current={isChosen(name, text) ? 'true' : undefined} onClick={onDone}>
        {name}
      </a>
      {rights.has('define') && (
        <>
          <button
            type="button"
            class="button"
            aria-label={t('saved.renameOf', { name })}
            onClick={() => setRenamed(true)}
          >
            {t('saved.rename')}
          </button>
          <AskedButton
            form={form}
            label={t('common.remove')}
            name={t('saved.removeNamed', { name })}
            action={t('common.remove')}
            note={t('saved.removeAsk', { name })}
          />
        </>
      )}
    </li>
  );
};

interface RenameFormProps extends Pick<SavedRowProps, 'kind' | 'name' | 'text'> {
  onRenamed: (newName: string) => void;
  onClose: () => void;
}

const RenameForm = ({ kind, name, text, onRenamed, onClose }: RenameFormProps) => {
  const { client } = useApp();
  const { site } = useSite();
  const [newName, setNewName] = useState(name);
  const form = useSubmit(async () => {
    const next = newName.trim();
    const saved: SaveDefinition = { kind, name, newName: next, [lists[kind].field]: text };
    await client.post(`/app/sites/${site.id}/definitions`, saved);
    client.forget();
    onRenamed(next);
    onClose();
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <NameField label={t('saved.newName', { name })} value={newName} onValue={setNewName} form={form} />
      <Actions form={form} label={t('saved.rename')} disabled={newName.trim() === name}>
        <button type="button" class="button" onClick={onClose}>
          {t('saved.cancel')}
        </button>
      </Actions>
    </form>
  );
};

interface SaveFormProps extends SavedListProps {
  current: string;
  /** Those there are. */
  names: readonly string[];
}

const SaveForm = ({ kind, current, chosen, names, onDone }: SaveFormProps) => {
  const { client } = useApp();
  const { site } = useSite();
  const { ask } = useAddress();
  const [name, setName] = useState('');
  const { field, plural } = lists[kind];
  const form = useSubmit(async () => {
    const saved: SaveDefinition = { kind, name: name.trim(), [field]: current };
    await client.post(`/app/sites/${site.id}/definitions`, saved);
    client.forget();
    ask(chosen(saved.name, current));
    onDone();
  });
  const isTaken = names.includes(name.trim());
  const error = form.errorOf(field);
  return (
    <form class="form" onSubmit={form.submit}>
      <NameField label={t(`saved.saveAs.${plural}`)} value={name} onValue={setName} form={form} />
      {error !== null && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <Actions form={form} label={isTaken ? t('saved.replace', { name: name.trim() }) : t('common.save')} />
    </form>
  );
};
