/** The fields that somebody signs in with, and those that set what they sign in with. Browsers and their password managers know them by `autocomplete`. */
import { passwordCharsMin } from '../../wire.ts';
import { Field, type FieldProps } from './field.tsx';

type Props = Pick<FieldProps, 'value' | 'onValue' | 'form'>;

export const EmailField = (props: Props & { autofocus?: boolean }) => (
  <Field label="E-mail" name="email" type="email" autocomplete="username" required {...props} />
);

export const PasswordField = (props: Props & { label?: string }) => (
  <Field label="Password" name="password" type="password" autocomplete="current-password" required {...props} />
);

export const NewPasswordField = (props: Props & { label: string; name: string }) => (
  <Field
    type="password"
    autocomplete="new-password"
    required
    minLength={passwordCharsMin}
    note={`${passwordCharsMin} characters or more`}
    {...props}
  />
);
