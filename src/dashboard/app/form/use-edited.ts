/** The values of a form that shows what is stored: changed, saved, or taken back. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/text.ts';
import { type Submit, useSubmit } from './form.tsx';

export interface Edited<T> {
  values: T;
  setValues: (values: T) => void;
  form: Submit;
  /** For the end of the form, which has buttons only while something differs. */
  end: { form: Submit; label: string; done: string | null; isChanged: boolean; onDiscard: () => void };
}

/** `save` sends the values, and makes `stored` what the server then has. */
export const useEdited = <T>(stored: T, save: (values: T) => Promise<void>): Edited<T> => {
  const [values, setValues] = useState(stored);
  const [done, setDone] = useState<string | null>(null);
  const text = JSON.stringify(stored);
  // The server may write a value in another way than it was typed.
  useEffect(() => setValues(JSON.parse(text) as T), [text]);
  const form = useSubmit(async () => {
    setDone(null);
    await save(values);
    setDone(t('common.saved'));
  });
  const isChanged = JSON.stringify(values) !== text;
  const onDiscard = (): void => setValues(stored);
  return { values, setValues, form, end: { form, label: t('common.save'), done, isChanged, onDiscard } };
};

/** Whether the values of a form in a dialog are others than it began with. */
export const useIsChanged = (values: unknown): boolean => {
  const text = JSON.stringify(values);
  const first = useRef(text);
  return text !== first.current;
};
