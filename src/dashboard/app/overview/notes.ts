/** The notes on the days of the period, and where they stand in the chart. */

import { useMemo } from 'preact/hooks';
import type { NoteKind } from '../../../model/notes.ts';
import { useAddress } from '../address.tsx';
import type { NoteList, NoteView } from '../answers.ts';
import { isShown, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { askedSearch } from '../question.ts';
import { type TextKey, t } from '../texts/text.ts';
import { type AnswerState, useAnswer } from '../use-answer.ts';

export const useNotes = (): AnswerState<NoteList> => {
  const { search } = useAddress();
  const state = useSite();
  const path = askSite(state.site, 'ext/notes', askedSearch(search, []));
  return useAnswer(isShown(state, 'notes') ? path : null);
};

const ownTexts: Partial<Record<NoteKind, TextKey & `note.kind.${string}`>> = {
  outage: 'note.kind.outage',
  zone: 'note.kind.zone',
  import: 'note.kind.import',
  alert: 'note.kind.alert',
};

/** What a note says. Those of the server begin with what they are about. */
export const noteText = ({ kind, text }: NoteView): string => {
  const key = ownTexts[kind];
  return key === undefined ? text : t(key, { text });
};

/** Texts of notes by bucket: that in which the day of the note begins, or which holds it. */
export const useNotesByBucket = (
  notes: readonly NoteView[] | undefined,
  dates: readonly string[],
): ReadonlyMap<number, readonly string[]> =>
  useMemo(() => {
    const found = new Map<number, string[]>();
    for (const note of notes ?? []) {
      const first = dates.findIndex(date => date.startsWith(note.date));
      const index = first >= 0 ? first : dates.findLastIndex(date => date.slice(0, 10) <= note.date);
      if (index >= 0) found.set(index, [...(found.get(index) ?? []), noteText(note)]);
    }
    return found;
  }, [notes, dates]);
