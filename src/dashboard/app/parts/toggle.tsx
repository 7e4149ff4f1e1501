/** A button that turns something on and off in the address. */
import type { ComponentChildren } from 'preact';
import { useAddress } from '../address.tsx';

interface ToggleProps {
  class: string;
  isOn: boolean;
  /** The search after a press. */
  next: URLSearchParams;
  tip?: string;
  /** For content without words. */
  label?: string;
  children: ComponentChildren;
}

export const Toggle = ({ isOn, next, tip, label, children, ...rest }: ToggleProps) => {
  const { ask } = useAddress();
  return (
    <button type="button" aria-pressed={isOn} aria-label={label} data-tip={tip} onClick={() => ask(next)} {...rest}>
      {children}
    </button>
  );
};
