/** A labelled field of a form, with what it is for and what is wrong with it. */
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';
import type { Submit } from './use-submit.ts';

export interface FieldProps {
  label: string;
  /** Name in the request, by which a failure names it. */
  name: string;
  value: string;
  onValue: (value: string) => void;
  form: Submit;
  type?: 'text' | 'email' | 'password';
  autocomplete?: string;
  /** What it is for. */
  note?: ComponentChildren;
  required?: boolean;
  minLength?: number;
  autofocus?: boolean;
  /** Values to choose from while typing. */
  options?: readonly string[];
  /** More than one line. */
  lines?: number;
}

export const Field = (props: FieldProps) => {
  const { label, name, value, onValue, form, note, options, lines, type = 'text', ...rest } = props;
  const id = useId();
  const error = form.errorOf(name);
  const described = [note !== undefined && `${id}-note`, error !== null && `${id}-error`].filter(Boolean).join(' ');
  const shared = {
    id,
    name,
    value,
    'aria-invalid': error !== null,
    'aria-describedby': described === '' ? undefined : described,
    spellcheck: false,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => onValue(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {lines !== undefined ? (
        <textarea rows={lines} {...shared} />
      ) : options !== undefined ? (
        <input type="text" list={`${id}-options`} {...rest} {...shared} />
      ) : (
        <input type={type as 'text'} {...rest} {...shared} />
      )}
      {options !== undefined && (
        <datalist id={`${id}-options`}>
          {options.map(option => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
      {note !== undefined && (
        <p class="field-note" id={`${id}-note`}>
          {note}
        </p>
      )}
      {error !== null && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
};

interface ActionsProps {
  form: Submit;
  label: string;
  danger?: boolean;
  disabled?: boolean;
  /** What to say when it went well. */
  done?: string | null;
  children?: ComponentChildren;
}

/** The end of a form: its button, and how it went. */
export const Actions = ({ form, label, danger = false, disabled = false, done = null, children }: ActionsProps) => (
  <div class="form-actions">
    <button type="submit" class={danger ? 'button danger' : 'button primary'} disabled={disabled || form.isPending}>
      {form.isPending ? 'One moment …' : label}
    </button>
    {children}
    {form.error !== null && (
      <p class="field-error" role="alert">
        {form.error}
      </p>
    )}
    <p class="hint" role="status">
      {form.error === null && !form.isPending ? done : null}
    </p>
  </div>
);
