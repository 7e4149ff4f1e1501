/**
 * What a site has under names: choosing one, and for its owner saving what the page shows, and
 * removing. The content of a popover.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RemoveDefinition, SaveDefinition } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Field, useSubmit } from '../form/form.tsx';
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
  onDone: () => void;
}

interface Saved {
  data: { name: string; filters?: string; question?: string }[];
}

const words = {
  segment: { plural: 'segments', field: 'filters', label: 'Save the filters as' },
  funnel: { plural: 'funnels', field: 'question', label: 'Save the funnel as' },
} as const;

export const SavedList = (props: SavedListProps) => {
  const { kind, current, hint } = props;
  const { site, own } = useSite();
  const { plural, field } = words[kind];
  const answer = useAnswer<Saved>(`/api/ext/sites/${site.id}/${plural}`);
  const rows = answer.data?.data.map(row => ({ name: row.name, text: row[field]! })) ?? [];
  const root = useRef<HTMLDivElement>(null);
  const isThere = answer.data !== undefined;
  // The popover gave the focus before there was anything to take it.
  useLayoutEffect(() => {
    if (isThere) root.current!.querySelector<HTMLElement>('a, input')?.focus();
  }, [isThere]);
  return (
    <div class="saved" ref={root}>
      <Answered answer={answer} waiting={<p class="hint">Loading …</p>}>
        {() => (
          <>
            {rows.length === 0 && own === null && <p class="hint">This page has no {plural}.</p>}
            <ul aria-label={`Saved ${plural}`}>
              {rows.map(row => (
                <SavedRow key={row.name} {...props} {...row} onRemoved={answer.retry} />
              ))}
            </ul>
            {own !== null &&
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
  onRemoved: () => void;
}

const SavedRow = ({ kind, name, text, isChosen, chosen, without, onDone, onRemoved }: SavedRowProps) => {
  const { client } = useApp();
  const { site, own } = useSite();
  const { href, ask } = useAddress();
  const form = useSubmit(async () => {
    await client.post(`/app/sites/${site.id}/definitions/remove`, { kind, name } satisfies RemoveDefinition);
    client.forget();
    if (without !== undefined && isChosen(name, text)) ask(without(name));
    onRemoved();
  });
  return (
    <li>
      <a href={href(chosen(name, text))} aria-current={isChosen(name, text) ? 'true' : undefined} onClick={onDone}>
        {name}
      </a>
      {own !== null && (
        <AskedButton form={form} label="Remove" name={`Remove ${name}`} action="Remove" note={`Remove ${name}?`} />
      )}
    </li>
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
  const { field, label } = words[kind];
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
      <Field label={label} name="name" autocomplete="off" required value={name} onValue={setName} form={form} />
      {error !== null && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <Actions form={form} label={isTaken ? `Replace ${name.trim()}` : 'Save'} />
    </form>
  );
};
