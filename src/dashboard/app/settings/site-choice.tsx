/** Choosing some sites of a team, or all. */
import type { SiteView } from '../../wire.ts';
import { Checkbox } from '../form/form.tsx';
import { t } from '../texts/text.ts';

/** A list with a value in it, or without. */
export const toggled = <Value,>(list: readonly Value[], value: Value, isIn: boolean): Value[] =>
  isIn ? [...list, value] : list.filter(other => other !== value);

interface SiteChoiceProps {
  sites: readonly SiteView[];
  /** Ids; none stands for all. */
  value: readonly string[];
  onValue: (value: string[]) => void;
}

/** Nothing where there is nothing to choose. */
export const SiteChoice = ({ sites, value, onValue }: SiteChoiceProps) =>
  sites.length < 2 ? null : (
    <details class="choices-more">
      <summary>{value.length === 0 ? t('members.allSites') : t('members.siteCount', { count: value.length })}</summary>
      <fieldset class="choices">
        <legend>{t('members.onlySites')}</legend>
        {sites.map(({ id, domain }) => (
          <Checkbox
            key={id}
            label={domain}
            checked={value.includes(id)}
            onChange={isIn => onValue(toggled(value, id, isIn))}
          />
        ))}
      </fieldset>
    </details>
  );
