/**
 * Forms: labelled fields, the fields of signing in, the button at the end, and sending one request
 * at a time.
 */
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { passwordCharsMin } from '../../../model/limits.ts';
import type { Revocation } from '../../wire.ts';
import { RequestFailed } from '../fetch-json.ts';
import { t } from '../texts/text.ts';

export interface Submit {
  isPending: boolean;
  /** About the whole form. */
  error: string | null;
  /** About one field. */
  errorOf(field: string): string | null;
  /** For `onSubmit`. */
  submit(event: Event): Promise<void>;
}

/** `send` does the work; the form shows the RequestFailed that it throws. */
export const useSubmit = (send: () => Promise<void>): Submit => {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<RequestFailed | null>(null);
  return {
    isPending,
    error: failure === null || failure.field !== undefined ? null : messageOf(failure),
    errorOf: field => (failure?.field === field ? failure.message : null),
    async submit(event) {
      event.preventDefault();
      if (isPending) return;
      setPending(true);
      setFailure(null);
      try {
        await send();
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        setFailure(error);
      } finally {
        setPending(false);
      }
    },
  };
};

const messageOf = ({ message, retryAfterSeconds }: RequestFailed): string => {
  if (retryAfterSeconds === undefined) return message;
  return retryAfterSeconds < 90
    ? t('form.retrySeconds', { message, count: retryAfterSeconds })
    : t('form.retryMinutes', { message, count: Math.ceil(retryAfterSeconds / 60) });
};

interface FieldProps {
  label: string;
  /** Name in the request, and in its errors. */
  name: string;
  value: string;
  onValue: (value: string) => void;
  form: Submit;
  type?: 'text' | 'email' | 'password' | 'date';
  autocomplete?: string;
  /** A hint. */
  note?: ComponentChildren;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  autofocus?: boolean;
  /** Values to choose from while typing. */
  options?: readonly string[];
  /** More than one line. */
  lines?: number;
}

export const Field = (props: FieldProps) => {
  const { label, name, value, onValue, form, note, options, lines, autofocus = false, type = 'text', ...rest } = props;
  const id = useId();
  const input = useRef<HTMLElement | null>(null);
  // Browsers do so by themselves only while a page loads.
  useLayoutEffect(() => {
    if (autofocus) input.current?.focus();
  }, []);
  const error = form.errorOf(name);
  const described = [note !== undefined && `${id}-note`, error !== null && `${id}-error`].filter(Boolean).join(' ');
  const shared = {
    id,
    name,
    value,
    ref: (element: HTMLElement | null) => {
      input.current = element;
    },
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

type OwnProps = Pick<FieldProps, 'value' | 'onValue' | 'form' | 'autofocus'>;

/** What something is called. */
export const NameField = (props: OwnProps & { label: string }) => (
  <Field name="name" autocomplete="off" required {...props} />
);

/** Browsers and password managers know the fields that follow by `autocomplete`. */

export const EmailField = (props: OwnProps & { autocomplete?: string }) => (
  <Field label={t('form.email')} name="email" type="email" autocomplete="username" required {...props} />
);

export const PasswordField = (props: OwnProps & { label?: string }) => (
  <Field
    label={t('form.password')}
    name="password"
    type="password"
    autocomplete="current-password"
    required
    {...props}
  />
);

export const NewPasswordField = (props: OwnProps & { label?: string; name?: string }) => (
  <Field
    label={t('form.password')}
    name="password"
    type="password"
    autocomplete="new-password"
    required
    minLength={passwordCharsMin}
    note={t('form.passwordChars', { count: passwordCharsMin })}
    {...props}
  />
);

interface CheckboxProps {
  label: string;
  note?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export const Checkbox = ({ label, note, checked, onChange }: CheckboxProps) => (
  <label class="choice">
    <input type="checkbox" checked={checked} onChange={event => onChange(event.currentTarget.checked)} />
    <span>
      {label}
      {note !== undefined && <span class="field-note">{note}</span>}
    </span>
  </label>
);

/** What a new password ends besides the other logins. */
export const RevocationFields = ({
  value,
  onValue,
}: {
  value: Required<Revocation>;
  onValue: (value: Required<Revocation>) => void;
}) => (
  <fieldset class="choices">
    <legend>{t('form.revoke')}</legend>
    <Checkbox
      label={t('form.revoke.keys')}
      checked={value.revokeKeys}
      onChange={revokeKeys => onValue({ ...value, revokeKeys })}
    />
    <Checkbox
      label={t('form.revoke.pages')}
      checked={value.withdrawPages}
      onChange={withdrawPages => onValue({ ...value, withdrawPages })}
    />
  </fieldset>
);
export const noRevocation: Required<Revocation> = { revokeKeys: false, withdrawPages: false };

interface ActionsProps {
  form: Submit;
  label: string;
  danger?: boolean;
  disabled?: boolean;
  /** Shown after success. */
  done?: string | null;
  /** There is something to send; without it there is no button. */
  isChanged?: boolean;
  /** Takes back what was changed. */
  onDiscard?: () => void;
  children?: ComponentChildren;
}

/** The end of a form: its button, and the result. */
export const Actions = ({ form, label, isChanged = true, onDiscard, done = null, ...rest }: ActionsProps) => (
  <div class="form-actions">
    {isChanged && (
      <button
        type="submit"
        class={rest.danger === true ? 'button danger' : 'button primary'}
        disabled={rest.disabled ?? false}
        aria-disabled={form.isPending}
      >
        {form.isPending ? t('common.wait') : label}
      </button>
    )}
    {isChanged && onDiscard !== undefined && (
      <button type="button" class="button" onClick={onDiscard}>
        {t('form.discard')}
      </button>
    )}
    {rest.children}
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
