/** Uploads files in pieces, and imports them or tries it. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Outcome } from '../../../model/outcomes.ts';
import type { BeginUpload, ImportList, ImportReport, SiteView, StartImport, UploadView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { bodyOf, fetchJson, RequestFailed } from '../fetch-json.ts';
import { Choice } from '../form/choice.tsx';
import { useSubmit } from '../form/form.tsx';
import { formatDays, formatNumber } from '../format.ts';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { Totals } from './import-totals.tsx';

/** As the server takes them at once. */
const pieceBytes = 1024 * 1024;

interface StartImportProps {
  site: SiteView;
  list: ImportList;
  onChange: () => void;
}

interface Sending {
  name: string;
  percent: number;
}

/** Sends files in pieces, each once; the server drops what was imported. A cut sending goes on. */
const useUploads = (base: string, { report }: ImportList) => {
  const { client } = useApp();
  const [sending, setSending] = useState<Sending | null>(null);
  /** So that an import after its try need not send a file again. */
  const sent = useRef(new Map<File, UploadView>());
  const forget = (): void => sent.current.clear();
  const imported = report?.id ?? null;
  useEffect(() => {
    if (imported !== null) forget();
  }, [imported]);

  const upload = async (file: File): Promise<string> => {
    const begin: BeginUpload = { name: file.name, size: String(file.size) };
    let state = sent.current.get(file) ?? (await client.post<UploadView>(`${base}/uploads`, begin));
    sent.current.set(file, state);
    while (state.received < file.size) {
      setSending({ name: file.name, percent: Math.floor((100 * state.received) / file.size) });
      const body = file.slice(state.received, state.received + pieceBytes);
      const headers = { 'content-type': 'application/octet-stream' };
      const path = `${base}/uploads/${state.id}/${state.received}`;
      state = bodyOf<UploadView>(await fetchJson(path, { method: 'POST', headers, body }));
      sent.current.set(file, state);
    }
    return state.id;
  };
  return {
    sending,
    forget,
    async uploadAll(files: Iterable<File>): Promise<string[]> {
      const ids: string[] = [];
      try {
        for (const file of files) ids.push(await upload(file));
        return ids;
      } finally {
        setSending(null);
      }
    },
  };
};

/** What may become of rows that are here already, as texts name it, and as requests do. */
const knownValues = { stop: '', leaveOut: 'leave-out', import: 'import' };
type KnownRows = keyof typeof knownValues;
const knownChoices = Object.keys(knownValues) as KnownRows[];

const KnownChoice = (of: { value: KnownRows; onValue: (value: KnownRows) => void }) => (
  <Choice
    label={t('settings.imports.known')}
    options={knownChoices.map(name => [name, t(`settings.imports.known.${name}`)])}
    {...of}
  />
);

export const StartImportForm = ({ site, list, onChange }: StartImportProps) => {
  const { client } = useApp();
  const base = `/app/sites/${site.id}`;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [format, setFormat] = useState('');
  const [known, setKnown] = useState<KnownRows>('stop');
  const dryRun = useRef(false);
  const { sending, uploadAll, forget } = useUploads(base, list);

  const form = useSubmit(async () => {
    try {
      const uploads = await uploadAll(input.current?.files ?? []);
      await client.post<ImportList>(`${base}/imports`, {
        uploads,
        format,
        known: knownValues[known],
        dryRun: dryRun.current,
      } satisfies StartImport);
      onChange();
    } catch (error) {
      // Files of which the server knows nothing any more are sent again.
      if (error instanceof RequestFailed && error.status === 404) forget();
      throw error;
    }
  });

  const isBusy = form.isPending || list.running !== null;
  const button = (label: string, kind: string, isTry: boolean) => (
    <button type="submit" class={kind} disabled={isBusy} onClick={() => (dryRun.current = isTry)}>
      {label}
    </button>
  );
  return (
    <form class="form" onSubmit={form.submit}>
      <div class="field">
        <label htmlFor={`${id}-files`}>{t('settings.imports.files')}</label>
        <input
          id={`${id}-files`}
          aria-describedby={`${id}-note`}
          ref={input}
          {...{ type: 'file', name: 'files', multiple: true, required: true, disabled: isBusy }}
        />
        <p class="field-note" id={`${id}-note`}>
          {t('settings.imports.files.note', { size: formatNumber(Math.floor(list.uploadBytesMax / 1e6)) })}
        </p>
      </div>
      <Choice
        label={t('settings.imports.format')}
        value={format}
        onValue={setFormat}
        options={[['', t('settings.imports.auto')], ...list.formats.map(formatOption)]}
      />
      <KnownChoice value={known} onValue={setKnown} />
      <div class="form-actions">
        {button(t('settings.imports.try'), 'button', true)}
        {button(t('settings.imports.start'), 'button primary', false)}
      </div>
      <p class="hint" role="status">
        {sending !== null && t('settings.imports.uploading', sending)}
      </p>
      {(form.error ?? form.errorOf('size')) !== null && (
        <p class="field-error" role="alert">
          {form.error ?? form.errorOf('size')}
        </p>
      )}
    </form>
  );
};

const knownText = ({ import: id, rows: count, first, last }: ImportReport['known'][number]): string => {
  const facts = { count, days: formatDays(first, last) };
  if (id === null) return t('settings.imports.known.collected', facts);
  return t('settings.imports.known.imported', { ...facts, id: String(id) });
};

/** What the newest import found, or the try of one. */
export const Found = ({ report }: { report: ImportReport }) => {
  const { id, lines, days, outcomes, difference, ignored, known } = report;
  const facts = { lines: formatNumber(lines), days: formatNumber(days.length) };
  const rows = Object.entries(outcomes).sort((a, b) => b[1] - a[1]);
  const columns: TableColumn<[string, number]>[] = [
    {
      name: 'outcome',
      head: t('settings.imports.outcome'),
      isName: true,
      cell: ([outcome]) => t(`outcome.${outcome as Outcome}`),
    },
    { name: 'lines', head: t('settings.imports.lines'), class: 'number', cell: ([, count]) => formatNumber(count) },
  ];
  return (
    <section class="form" aria-label={t('settings.imports.found')}>
      <p>{t(id === null ? 'settings.imports.tried' : 'settings.imports.done', facts)}</p>
      {rows.length > 0 && (
        <Table label={t('settings.imports.outcome')} columns={columns} rows={rows} keyOf={([outcome]) => outcome} />
      )}
      {days.length > 0 && <Totals name={t('settings.imports.found')} {...report} />}
      {known.map(of => (
        <p key={of.import}>{knownText(of)}</p>
      ))}
      {difference !== null && <p class="hint">{difference}</p>}
      {ignored.length > 0 && <p class="hint">{t('settings.imports.ignored', { files: ignored.join(', ') })}</p>}
    </section>
  );
};

/** A product may export hits, and what it counted: its name alone would stand there twice. */
const formatOption = ({ name, title, kind }: ImportList['formats'][number]) =>
  [name, kind === 'sums' ? t('settings.imports.sums', { title, name }) : `${title} (${name})`] as const;
