/** Which channels are told. */
import type { ChannelView } from '../../wire.ts';
import { Checkbox } from '../form/form.tsx';
import { t } from '../texts/text.ts';
import { toggled } from './site-choice.tsx';

interface ChannelChoiceProps {
  channels: readonly ChannelView[];
  /** Ids. */
  value: readonly number[];
  onValue: (value: number[]) => void;
}

export const ChannelChoice = ({ channels, value, onValue }: ChannelChoiceProps) => (
  <>
    {channels.map(({ id, name, kind }) => (
      <Checkbox
        key={id}
        label={t('alerts.channel', { name, kind: t(`channels.kind.${kind}`) })}
        checked={value.includes(id)}
        onChange={isIn => onValue(toggled(value, id, isIn))}
      />
    ))}
  </>
);
