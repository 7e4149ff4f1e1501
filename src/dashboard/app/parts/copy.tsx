/** A text with a button that copies it. */
import { useRef, useState } from 'preact/hooks';
import { t } from '../texts/text.ts';
import { Icon } from './icon.tsx';

const saidForMs = 2000;

interface CopyFieldProps {
  text: string;
  label: string;
  /** How many lines it takes. */
  lines?: number;
}

export const CopyField = ({ text, label, lines = 1 }: CopyFieldProps) => {
  const [said, setSaid] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(t('common.copied'));
    } catch {
      // Without a secure context there is no clipboard: the text is selected, so that the keyboard
      // can copy it.
      field.current?.select();
      setSaid(t('common.copyKeys'));
    }
    setTimeout(() => setSaid(''), saidForMs);
  };
  return (
    <div class="copy-field">
      <textarea
        ref={field}
        class="copy-text"
        aria-label={label}
        rows={lines}
        readOnly
        spellcheck={false}
        value={text}
      />
      <button type="button" class="button" onClick={copy}>
        <Icon name={said === '' ? 'copy' : 'check'} />
        <span aria-live="polite">{said === '' ? t('common.copy') : said}</span>
      </button>
    </div>
  );
};
