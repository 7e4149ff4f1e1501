/** The notes of the period: a list, and for the owner a form for writing and removing them. */
import { useState } from 'preact/hooks';
import { noteTextCharsMax } from '../../../model/notes.ts';
import type { WriteNote } from '../../wire.ts';
import type { NoteView } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Field, useSubmit } from '../form/form.tsx';
import { useIsChanged } from '../form/use-edited.ts';
import { formatDay } from '../format.ts';
import { t } from '../texts/text.ts';
import { noteText } from './notes.ts';

interface NotesPanelProps {
  notes: readonly NoteView[];
  /** Of a new note. */
  day: string;
  /** Something was written. */
  onChanged: () => void;
}

export const NotesPanel = ({ notes, day, onChanged }: NotesPanelProps) => {
  const { rights } = useSite();
  const [edited, setEdited] = useState<NoteView | null>(null);
  const done = (): void => {
    setEdited(null);
    onChanged();
  };
  return (
    <div class="saved notes">
      {notes.length > 0 && (
        <ul aria-label={t('note.list')}>
          {notes.map(note => (
            <NoteRow key={note.id} note={note} onEdit={() => setEdited(note)} onRemoved={done} />
          ))}
        </ul>
      )}
      {rights.has('notes') && <NoteForm key={edited?.id ?? day} note={edited} day={day} onWritten={done} />}
    </div>
  );
};

interface NoteRowProps {
  note: NoteView;
  onEdit: () => void;
  onRemoved: () => void;
}

const NoteRow = ({ note, onEdit, onRemoved }: NoteRowProps) => {
  const { client } = useApp();
  const { site, rights } = useSite();
  const text = noteText(note);
  const form = useSubmit(async () => {
    await client.post(`/app/sites/${site.id}/notes/${note.id}/remove`, {});
    onRemoved();
  });
  return (
    <li>
      <p class="note-text">
        <strong>{formatDay(note.date)}</strong> {text}
      </p>
      {rights.has('notes') && (
        <span class="note-actions">
          {note.kind === 'person' && (
            <button type="button" class="button" aria-label={t('note.edit.of', { text })} onClick={onEdit}>
              {t('note.edit')}
            </button>
          )}
          <AskedButton
            form={form}
            label={t('note.remove')}
            name={t('note.remove.of', { text })}
            action={t('note.remove')}
          />
        </span>
      )}
    </li>
  );
};

/** `note`: the one to change; null for a new one. */
const NoteForm = ({ note, day, onWritten }: { note: NoteView | null; day: string; onWritten: () => void }) => {
  const { client } = useApp();
  const { site } = useSite();
  const [date, setDate] = useState(note?.date ?? day);
  const [text, setText] = useState(note?.text ?? '');
  const isChanged = useIsChanged([date, text]);
  const form = useSubmit(async () => {
    const path = `/app/sites/${site.id}/notes`;
    await client.post(note === null ? path : `${path}/${note.id}`, { date, text } satisfies WriteNote);
    setText('');
    onWritten();
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <Field label={t('note.date')} name="date" type="date" required value={date} onValue={setDate} form={form} />
      <Field
        label={t('note.text')}
        name="text"
        autocomplete="off"
        required
        maxLength={noteTextCharsMax}
        autofocus
        value={text}
        onValue={setText}
        form={form}
      />
      <Actions
        form={form}
        label={note === null ? t('note.add') : t('note.save')}
        disabled={note !== null && !isChanged}
      />
    </form>
  );
};
