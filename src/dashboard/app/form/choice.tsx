/** Chooses one of a few values. */

interface ChoiceProps<Value> {
  label: string;
  /** Each with what it is called. */
  options: readonly (readonly [value: Value, text: string])[];
  note?: string;
  value: Value;
  onValue: (value: Value) => void;
}

export const Choice = <Value extends string | number | null>({
  label,
  options,
  note,
  value,
  onValue,
}: ChoiceProps<Value>) => (
  <label class="field">
    {label}
    <select value={value ?? ''} onChange={({ currentTarget }) => onValue(options[currentTarget.selectedIndex]![0])}>
      {options.map(([name, text]) => (
        <option key={name} value={name ?? ''}>
          {text}
        </option>
      ))}
    </select>
    {note !== undefined && <span class="field-note">{note}</span>}
  </label>
);
