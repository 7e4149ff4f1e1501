/** Asks for a step: a page, an event, or anything else that a hit can be told by. */
import { ConditionDialog } from '../controls/filter-editor.tsx';
import { conditionText } from './conditions.ts';

interface StepDialogProps {
  title: string;
  submit: string;
  onChoose: (condition: string) => void;
  onClose: () => void;
  /** What it can look at; everything by default. */
  fields?: readonly string[];
}

export const StepDialog = ({ title, submit, onChoose, onClose, fields }: StepDialogProps) => (
  <ConditionDialog
    group={null}
    {...{ title, submit, onClose }}
    fields={fields ?? null}
    onChoose={(kind, value) => {
      onChoose(conditionText(kind, value));
      onClose();
    }}
  />
);
