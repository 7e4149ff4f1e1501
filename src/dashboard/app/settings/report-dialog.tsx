/** Adds a report, or changes, pauses, sends and removes it. */

import { useState } from 'preact/hooks';
import { languages } from '../../../model/languages.ts';
import { languageNames } from '../../../model/locale.ts';
import { cadences, type ReportChoice, reportBlockNames, usualReport } from '../../../model/reports.ts';
import type {
  ChannelList,
  DefinitionLists,
  MemberList,
  ReportList,
  ReportRecipientView,
  ReportView,
  SiteView,
} from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Choice } from '../form/choice.tsx';
import { Actions, Checkbox, Field, NameField, type Submit, useSubmit } from '../form/form.tsx';
import { useEdited } from '../form/use-edited.ts';
import { formatWallTime } from '../format.ts';
import { locale } from '../locale.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { ChannelChoice } from './channel-choice.tsx';
import { weekdayName } from './locale-section.tsx';
import { PartsChoice } from './share-section.tsx';
import { toggled } from './site-choice.tsx';

interface ReportDialogProps {
  site: SiteView;
  /** Of all reports. */
  path: string;
  /** Null for a new one. */
  report: ReportView | null;
  sendsMail: boolean;
  onClose: () => void;
  onChanged: () => void;
  onPreview: (id: number) => void;
}

export const ReportDialog = ({ site, path, report, onClose, onChanged, ...rest }: ReportDialogProps) => {
  const { client, me } = useApp();
  const stored = report === null ? newTyped(me?.person.email ?? '') : typedOf(report);
  const { values, setValues, form, end } = useEdited(stored, async typed => {
    await client.post<ReportList>(report === null ? path : `${path}/${report.id}`, sentOf(typed));
    onChanged();
    onClose();
  });
  return (
    <Dialog title={report?.name ?? t('reports.new')} onClose={onClose}>
      <form class="form" onSubmit={form.submit}>
        <NameField
          label={t('common.name')}
          value={values.name}
          onValue={name => setValues({ ...values, name })}
          form={form}
        />
        <ScheduleFields site={site} value={values} onValue={setValues} />
        <RecipientFields site={site} value={values} onValue={setValues} form={form} />
        <ContentFields site={site} value={values} onValue={setValues} />
        <Actions {...end} label={report === null ? t('reports.add') : t('common.save')} />
      </form>
      {report !== null && (
        <>
          <RecipientTable recipients={report.recipients} />
          <ReportActions path={`${path}/${report.id}`} {...{ report, onClose, onChanged, ...rest }} />
        </>
      )}
    </Dialog>
  );
};

/** A report as it is typed. */
interface Typed extends Omit<ReportChoice, 'recipients' | 'isPaused'> {
  /** E-mails of members. */
  people: string[];
  /** Addresses of others, a line each. */
  others: string;
}

const newTyped = (email: string): Typed => {
  const { isPaused: _, recipients: __, ...usual } = usualReport;
  return { ...usual, name: '', language: locale().language, people: [email], others: '' };
};

const typedOf = ({ recipients, ...report }: ReportView): Typed => {
  const { name, cadence, weekday, hour, language, filters, blocks, skipEmpty, channels, parts, csv } = report;
  const emailsOf = (isMember: boolean): string[] =>
    recipients.filter(each => each.isMember === isMember).map(({ email }) => email);
  return {
    ...{ name, cadence, weekday, hour, language, filters, blocks, skipEmpty, channels, parts, csv },
    ...{ people: emailsOf(true), others: emailsOf(false).join('\n') },
  };
};

const sentOf = ({ people, others, ...chosen }: Typed): Omit<ReportChoice, 'isPaused'> => ({
  ...chosen,
  recipients: [...people, ...others.split(/[\s,;]+/).filter(email => email !== '')],
});

interface FieldsProps {
  site: SiteView;
  value: Typed;
  onValue: (value: Typed) => void;
}

const weekdays = [1, 2, 3, 4, 5, 6, 7];
const hours = Array.from({ length: 24 }, (_, hour) => hour);

/** The hour of a day as clocks show it. */
export const hourName = (hour: number): string => formatWallTime(`2024-01-01T${String(hour).padStart(2, '0')}:00:00`);

const ScheduleFields = ({ site, value, onValue }: FieldsProps) => (
  <>
    <Choice
      label={t('reports.cadence')}
      options={cadences.map(name => [name, t(`reports.cadence.${name}`)])}
      value={value.cadence}
      onValue={cadence => onValue({ ...value, cadence })}
    />
    {value.cadence === 'week' && (
      <Choice
        label={t('reports.weekday')}
        options={weekdays.map(day => [day, weekdayName(day)])}
        note={t('reports.weekday.note')}
        value={value.weekday}
        onValue={weekday => onValue({ ...value, weekday })}
      />
    )}
    <Choice
      label={t('reports.hour')}
      options={hours.map(hour => [hour, hourName(hour)])}
      note={t('reports.hour.note', { zone: site.timezone })}
      value={value.hour}
      onValue={hour => onValue({ ...value, hour })}
    />
  </>
);

const RecipientFields = ({ site, value, onValue, form }: FieldsProps & { form: Submit }) => {
  const { data: members = [] } = useAnswer<MemberList>(`/app/teams/${site.team}/members`).data ?? {};
  const all = useAnswer<ChannelList>(`/app/teams/${site.team}/channels`).data?.data ?? [];
  const channels = all.filter(({ kind }) => kind !== 'mail');
  const { people, others, parts } = value;
  // Somebody who has left the team stays chosen until somebody else says otherwise.
  const known = [...new Set([...members.map(({ email }) => email), ...people])];
  return (
    <>
      <details class="choices-more">
        <summary>{t('reports.people.count', { count: people.length })}</summary>
        <fieldset class="choices">
          <legend>{t('reports.people')}</legend>
          {known.map(email => (
            <Checkbox
              key={email}
              label={email}
              checked={people.includes(email)}
              onChange={isIn => onValue({ ...value, people: toggled(people, email, isIn) })}
            />
          ))}
        </fieldset>
      </details>
      <Field
        label={t('reports.others')}
        name="recipients"
        lines={2}
        note={t('reports.others.note')}
        value={others}
        onValue={next => onValue({ ...value, others: next })}
        form={form}
      />
      {others.trim() !== '' && (
        <PartsChoice
          isOfSegment={false}
          summary={parts.length === 0 ? t('reports.parts.none') : t('reports.parts.count', { count: parts.length })}
          value={parts}
          onValue={next => onValue({ ...value, parts: next })}
        />
      )}
      {channels.length > 0 && (
        <fieldset class="choices">
          <legend>{t('reports.channels')}</legend>
          <ChannelChoice
            channels={channels}
            value={value.channels}
            onValue={chosen => onValue({ ...value, channels: chosen })}
          />
        </fieldset>
      )}
    </>
  );
};

const ContentFields = ({ site, value, onValue }: FieldsProps) => {
  const segments = useAnswer<DefinitionLists>(`/app/sites/${site.id}/definitions`).data?.segments ?? [];
  const { blocks, filters } = value;
  const bySegment = segments.map(({ name }) => [`${new URLSearchParams({ segment: name })}`, name] as const);
  // Programs may have chosen other filters, which stay chosen until somebody chooses others.
  const isKnown = filters === '' || bySegment.some(([text]) => text === filters);
  return (
    <>
      <Choice
        label={t('share.segment')}
        options={[['', t('share.segment.none')], ...bySegment, ...(isKnown ? [] : [[filters, filters] as const])]}
        value={filters}
        onValue={text => onValue({ ...value, filters: text })}
      />
      <details class="choices-more">
        <summary>{t('reports.blocks.count', { count: blocks.length })}</summary>
        <fieldset class="choices">
          <legend>{t('reports.blocks')}</legend>
          {reportBlockNames.map(name => (
            <Checkbox
              key={name}
              label={t(`reportBlock.${name}`)}
              checked={blocks.includes(name)}
              onChange={isIn => {
                const chosen = toggled(blocks, name, isIn);
                onValue({ ...value, blocks: reportBlockNames.filter(each => chosen.includes(each)) });
              }}
            />
          ))}
        </fieldset>
      </details>
      <Choice
        label={t('settings.locale.language')}
        options={languageNames.map(name => [name, languages[name]])}
        note={t('reports.language.note')}
        value={value.language}
        onValue={language => onValue({ ...value, language })}
      />
      <Checkbox label={t('reports.csv')} checked={value.csv} onChange={csv => onValue({ ...value, csv })} />
      <Checkbox
        label={t('reports.skipEmpty')}
        checked={value.skipEmpty}
        onChange={skipEmpty => onValue({ ...value, skipEmpty })}
      />
    </>
  );
};

/** Who gets it, and whether the last one came. */
const RecipientTable = ({ recipients }: { recipients: readonly ReportRecipientView[] }) => {
  const columns: TableColumn<ReportRecipientView>[] = [
    {
      ...{ name: 'email', head: t('reports.recipients'), isName: true },
      cell: ({ email, error }) => (
        <>
          {email}
          {error !== null && <span class="field-note">{error}</span>}
        </>
      ),
    },
    {
      ...{ name: 'state', head: t('reports.state') },
      cell: ({ state, lastSending }) =>
        lastSending === null || state !== 'gets' ? t(`reports.state.${state}`) : t(`reports.${lastSending}`),
    },
  ];
  return <Table class="table members" columns={columns} rows={recipients} keyOf={({ email }) => email} />;
};

interface ReportActionsProps extends Omit<ReportDialogProps, 'site' | 'report'> {
  /** Of the report. */
  path: string;
  report: ReportView;
}

const ReportActions = ({ path, report, sendsMail, onClose, onChanged, onPreview }: ReportActionsProps) => {
  const { client, me } = useApp();
  const [said, setSaid] = useState<string | null>(null);
  const sending = useSubmit(async () => {
    setSaid(null);
    await client.post(`${path}/send`, {});
    setSaid(t('reports.sentTo', { email: me?.person.email ?? '' }));
  });
  const pausing = useSubmit(async () => {
    await client.post<ReportList>(path, { isPaused: !report.isPaused });
    onChanged();
  });
  const removing = useSubmit(async () => {
    await client.post<ReportList>(`${path}/remove`, {});
    onChanged();
    onClose();
  });
  const error = sending.error ?? pausing.error ?? removing.error;
  return (
    <div class="form-actions">
      <button type="button" class="button" onClick={() => onPreview(report.id)}>
        {t('reports.preview')}
      </button>
      {sendsMail && (
        <button type="button" class="button" aria-disabled={sending.isPending} onClick={sending.submit}>
          {t('reports.send')}
        </button>
      )}
      <button type="button" class="button" aria-disabled={pausing.isPending} onClick={pausing.submit}>
        {report.isPaused ? t('reports.resume') : t('reports.pause')}
      </button>
      <AskedButton
        form={removing}
        label={t('common.remove')}
        action={t('settings.goals.removeNow', { name: report.name })}
        danger
      />
      {error !== null && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <p class="hint" role="status">
        {said}
      </p>
    </div>
  );
};
