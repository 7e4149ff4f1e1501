/** The fields of an alert: what it watches, and who is told. */

import { windowHours } from '../../../model/alerts/expectation.ts';
import {
  alertKindNames,
  type BandMetric,
  bandMetrics,
  errorSources,
  sensitivities,
  thresholdMetrics,
  thresholdMinutes,
  vitalMinutes,
} from '../../../model/alerts/kinds.ts';
import { isVital, vitals } from '../../../model/vitals.ts';
import type { ChannelView, DefinitionLists, SiteView } from '../../wire.ts';
import { Choice } from '../form/choice.tsx';
import { Checkbox, Field, type Submit } from '../form/form.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { type AlertDraft, sensitivityNames } from './alert-draft.ts';
import { ChannelChoice } from './channel-choice.tsx';

interface AlertFieldsProps {
  site: SiteView;
  channels: readonly ChannelView[];
  draft: AlertDraft;
  setDraft: (draft: AlertDraft) => void;
  form: Submit;
}

export const AlertFields = ({ site, channels, draft, setDraft, form }: AlertFieldsProps) => {
  const set = (change: Partial<AlertDraft>): void => setDraft({ ...draft, ...change });
  const { kind } = draft;
  return (
    <>
      <Choice
        label={t('alerts.kind')}
        value={kind}
        onValue={name => set({ kind: name, hours: '' })}
        options={alertKindNames.map(name => [name, t(`alert.kind.${name}`)])}
        note={t(`alert.kind.${kind}.meaning`)}
      />
      <KindFields {...{ site, draft, set, form }} />
      {kind !== 'refused' && (
        <Field
          label={t('alerts.filters')}
          name="filters"
          autocomplete="off"
          note={t('alerts.filters.note')}
          value={draft.filters}
          onValue={filters => set({ filters })}
          form={form}
        />
      )}
      <Field
        label={t('common.name')}
        name="name"
        autocomplete="off"
        note={t('alerts.name.note', { kind: t(`alert.kind.${kind}`) })}
        value={draft.name}
        onValue={name => set({ name })}
        form={form}
      />
      <fieldset class="choices">
        <legend>{t('alerts.told')}</legend>
        <Checkbox
          label={t('alerts.mailOwners')}
          checked={draft.mailOwners}
          onChange={mailOwners => set({ mailOwners })}
        />
        <ChannelChoice {...{ channels, value: draft.channels }} onValue={chosen => set({ channels: chosen })} />
      </fieldset>
    </>
  );
};

interface PartProps {
  draft: AlertDraft;
  set: (change: Partial<AlertDraft>) => void;
}

/** What the kind takes. */
const KindFields = ({ site, draft, set, form }: PartProps & { site: SiteView; form: Submit }) => {
  const { kind } = draft;
  return (
    <>
      {(kind === 'spike' || kind === 'drop') && (
        <Choice
          label={t('alerts.metric')}
          value={draft.metric}
          onValue={metric => set({ metric })}
          options={(Object.keys(bandMetrics) as BandMetric[]).map(name => [name, t(`metric.${name}`)])}
        />
      )}
      {kind === 'errors' && (
        <Choice
          label={t('alerts.metric')}
          value={draft.of}
          onValue={of => set({ of })}
          options={errorSources.map(name => [name, t(`alerts.errors.${name}`)])}
        />
      )}
      {(kind === 'spike' || kind === 'drop' || kind === 'errors') && <BandFields draft={draft} set={set} />}
      {kind === 'threshold' && <NumberFields {...{ site, draft, set, form }} />}
      {kind === 'goal' && <GoalField {...{ site, draft, set }} />}
      {kind === 'refused' && (
        <>
          <CountField name="hits" {...{ draft, set, form }} />
          <CountField name="percent" {...{ draft, set, form }} />
        </>
      )}
      {kind === 'new-source' && <CountField name="visitors" {...{ draft, set, form }} />}
    </>
  );
};

const CountField = ({
  name,
  draft,
  set,
  form,
}: PartProps & { name: 'hits' | 'percent' | 'visitors'; form: Submit }) => (
  <Field
    label={t(`alerts.${name}`)}
    name={name}
    autocomplete="off"
    required
    value={draft[name]}
    onValue={value => set({ [name]: value })}
    form={form}
  />
);

const BandFields = ({ draft, set }: PartProps) => {
  const { k, hours } = draft;
  const usual = sensitivityNames.map(name => [sensitivities[name] as number, t(`alerts.sensitivity.${name}`)] as const);
  // One that a program has chosen stays until somebody chooses another.
  const own = usual.some(([value]) => value === k) ? [] : [[k, String(k)] as const];
  return (
    <>
      <Choice
        label={t('alerts.sensitivity')}
        value={k}
        onValue={value => set({ k: value })}
        options={[...usual, ...own]}
      />
      <Choice
        label={t('alerts.window')}
        value={hours}
        onValue={value => set({ hours: value })}
        options={[
          ['', t('alerts.window.own')],
          ...windowHours.map(count => [String(count), t('alerts.hours', { count })] as const),
        ]}
      />
    </>
  );
};

const NumberFields = ({ site, draft, set, form }: PartProps & { site: SiteView; form: Submit }) => (
  <>
    <Choice
      label={t('alerts.metric')}
      value={draft.compared}
      onValue={compared => set({ compared, minutes: isVital(compared) ? Math.max(60, draft.minutes) : draft.minutes })}
      options={thresholdMetrics.map(name => [
        name,
        isVital(name) ? t('alerts.vital', { name: name.toUpperCase() }) : t(`metric.${name}`),
      ])}
    />
    <Choice
      label={t('alerts.comparison')}
      value={draft.comparison}
      onValue={comparison => set({ comparison })}
      options={[
        ['above', t('alerts.above')],
        ['below', t('alerts.below')],
      ]}
    />
    <Field
      label={numberLabel(draft, site)}
      name="number"
      autocomplete="off"
      required
      value={draft.number}
      onValue={number => set({ number })}
      form={form}
    />
    <Choice
      label={t('alerts.window')}
      value={draft.minutes}
      onValue={minutes => set({ minutes })}
      options={(isVital(draft.compared) ? vitalMinutes : thresholdMinutes).map(minutes => [
        minutes,
        minutes < 60 ? t('alerts.minutes', { count: minutes }) : t('alerts.hours', { count: minutes / 60 }),
      ])}
    />
  </>
);

const numberLabel = ({ compared }: AlertDraft, { currency }: SiteView): string => {
  if (compared === 'revenue') return t('alerts.amount', { currency });
  return t(isVital(compared) && vitals[compared].unit === 'ms' ? 'alerts.milliseconds' : 'alerts.number');
};

const GoalField = ({ site, draft, set }: PartProps & { site: SiteView }) => {
  const goals = useAnswer<DefinitionLists>(`/app/sites/${site.id}/definitions`).data?.goals ?? [];
  const names = goals.map(({ name }) => name);
  // One that has gone stays chosen until somebody chooses another.
  const known = draft.goal === '' || names.includes(draft.goal) ? names : [...names, draft.goal];
  return (
    <Choice
      label={t('alerts.goal')}
      value={draft.goal}
      onValue={goal => set({ goal })}
      options={[['', t('alerts.goal.choose')], ...known.map(name => [name, name] as const)]}
    />
  );
};
