/** Asks for a step: a page, an event, or anything else that a hit can be told by. */
import { filterFields } from '../../../model/filters.ts';
import { ConditionDialog } from '../controls/filter-editor.tsx';
import { conditionText } from './conditions.ts';

/** Steps are hits: conditions on visits are filters. */
const fields = filterFields.filter(field => !field.startsWith('visit:') && field !== 'duration');

interface StepDialogProps {
  title: string;
  submit: string;
  onChoose: (condition: string) => void;
  onClose: () => void;
}

export const StepDialog = ({ title, submit, onChoose, onClose }: StepDialogProps) => (
  <ConditionDialog
    group={null}
    {...{ title, submit, fields, onClose }}
    onChoose={(kind, value) => {
      onChoose(conditionText(kind, value));
      onClose();
    }}
  />
);
