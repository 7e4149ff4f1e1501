/** Reports of a site that are mailed: a list, adding and changing one, and how its mail looks. */
import { useState } from 'preact/hooks';
import type { ReportList, ReportPreview, ReportView, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { formatInstant } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { weekdayName } from './locale-section.tsx';
import { NoMailServer } from './no-mail-server.tsx';
import { hourName, ReportDialog } from './report-dialog.tsx';
import { Section } from './section.tsx';

/** What is open above the list; of a report by its id, which may change meanwhile. */
type Opened = { dialog: 'add' } | { dialog: 'edit' | 'preview'; id: number };

export const ReportSection = ({ site }: { site: SiteView }) => {
  const path = `/app/sites/${site.id}/reports`;
  const list = useAnswer<ReportList>(path);
  const [opened, setOpened] = useState<Opened | null>(null);
  const onClose = (): void => setOpened(null);
  const { data: reports = [], sendsMail = false } = list.data ?? {};
  const report = opened === null || opened.dialog === 'add' ? null : reports.find(({ id }) => id === opened.id);
  return (
    <Section title={t('settings.reports')} note={t('reports.note')}>
      {list.data !== undefined && !sendsMail && <NoMailServer />}
      <Answered answer={list}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{t('reports.none')}</p>
          ) : (
            <ReportTable {...{ site, reports: data }} onEdit={id => setOpened({ dialog: 'edit', id })} />
          )
        }
      </Answered>
      <div class="form-actions">
        <button
          type="button"
          class={sendsMail ? 'button primary' : 'button'}
          onClick={() => setOpened({ dialog: 'add' })}
        >
          {t('reports.new')}
        </button>
      </div>
      {opened?.dialog === 'preview' && report && <PreviewDialog path={path} report={report} onClose={onClose} />}
      {opened !== null && opened.dialog !== 'preview' && report !== undefined && (
        <ReportDialog
          {...{ site, path, report, sendsMail, onClose }}
          onChanged={list.retry}
          onPreview={id => setOpened({ dialog: 'preview', id })}
        />
      )}
    </Section>
  );
};

/** `Each Monday at 08:00` */
const scheduleWords = ({ cadence, weekday, hour }: ReportView): string =>
  t(`reports.each.${cadence}`, {
    weekday: weekdayName(weekday),
    time: hourName(hour),
  });

interface ReportTableProps {
  site: SiteView;
  reports: readonly ReportView[];
  onEdit: (id: number) => void;
}

const ReportTable = ({ site, reports, onEdit }: ReportTableProps) => {
  const { now } = useApp();
  const at = (iso: string): string => formatInstant(iso, site.timezone, now());
  const columns: TableColumn<ReportView>[] = [
    {
      ...{ name: 'name', head: t('common.name'), isName: true },
      cell: report => (
        <>
          {report.name}
          <span class="field-note">{scheduleWords(report)}</span>
        </>
      ),
    },
    {
      ...{ name: 'recipients', head: t('reports.recipients') },
      cell: ({ recipients }) => <Counts values={recipients.map(({ state }) => t(`reports.state.${state}`))} />,
    },
    {
      ...{ name: 'last', head: t('reports.last') },
      cell: ({ lastAt, recipients }) =>
        lastAt === null ? (
          t('reports.never')
        ) : (
          <>
            {at(lastAt)}
            <Counts
              values={recipients.flatMap(({ lastSending }) => lastSending ?? []).map(state => t(`reports.${state}`))}
            />
          </>
        ),
    },
    {
      ...{ name: 'next', head: t('reports.next') },
      cell: ({ nextAt, pausedFor }) => (nextAt === null ? t(`reports.paused.${pausedFor ?? 'person'}`) : at(nextAt)),
    },
    {
      ...{ name: 'actions', head: <span class="unseen">{t('note.edit')}</span>, class: 'number' },
      cell: ({ id, name }) => (
        <button type="button" class="button" aria-label={t('share.edit', { name })} onClick={() => onEdit(id)}>
          {t('note.edit')}
        </button>
      ),
    },
  ];
  return (
    <Table
      class="table members"
      label={t('settings.reports')}
      columns={columns}
      rows={reports}
      keyOf={({ id }) => id}
    />
  );
};

/** Each value that there is, and how often. */
const Counts = ({ values }: { values: readonly string[] }) => (
  <>
    {[...new Set(values)].map(value => (
      <div key={value} class="field-note">
        {t('reports.counted', { what: value, count: values.filter(other => other === value).length })}
      </div>
    ))}
  </>
);

interface PreviewDialogProps {
  /** Of all reports. */
  path: string;
  report: ReportView;
  onClose: () => void;
}

/** The mail of the newest period, in a frame without any rights. */
const PreviewDialog = ({ path, report: { id, name }, onClose }: PreviewDialogProps) => {
  const preview = useAnswer<ReportPreview>(`${path}/${id}/preview`);
  return (
    <Dialog title={t('reports.previewOf', { name })} size="large" onClose={onClose}>
      <Answered answer={preview}>
        {({ subject, text }) => (
          <>
            <p>{subject}</p>
            <iframe class="mail-frame" src={`${path}/${id}/mail`} sandbox="" title={t('reports.previewOf', { name })} />
            <details class="choices-more">
              <summary>{t('reports.asText')}</summary>
              <pre class="mail-text">{text}</pre>
            </details>
          </>
        )}
      </Answered>
    </Dialog>
  );
};
