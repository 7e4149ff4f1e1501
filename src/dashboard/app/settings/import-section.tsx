/** Imports files into a site, lists what was imported, and takes it back. */
import type { ImportList, ImportView, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { useSubmit } from '../form/form.tsx';
import { formatDays, formatNumber } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { Totals } from './import-totals.tsx';
import { Section } from './section.tsx';
import { Found, StartImportForm } from './start-import.tsx';
import { useProgress } from './use-progress.ts';

export const ImportSection = ({ site }: { site: SiteView }) => {
  const list = useAnswer<ImportList>(`/app/sites/${site.id}/imports`);
  useProgress(list);
  const note = rich('settings.imports.note', { command: <code>daybook import</code> });
  return (
    <Section title={t('settings.imports')} note={note}>
      <Answered answer={list}>{data => <Imported site={site} list={data} onChange={list.retry} />}</Answered>
    </Section>
  );
};

const Imported = ({ site, list, onChange }: { site: SiteView; list: ImportList; onChange: () => void }) => {
  const { client } = useApp();
  const { running, failure, report, data } = list;
  const stop = useSubmit(async () => {
    await client.post<ImportList>(`/app/sites/${site.id}/imports/stop`, {});
    onChange();
  });
  return (
    <>
      <StartImportForm site={site} list={list} onChange={onChange} />
      <p class="hint" role="status">
        {running !== null && progressText(running)}
      </p>
      {running !== null && running.kind !== 'undo' && (
        <form onSubmit={stop.submit}>
          <button type="submit" class="button" disabled={stop.isPending}>
            {t('settings.imports.stop')}
          </button>
        </form>
      )}
      {failure !== null && (
        <p class="field-error" role="alert">
          {failure}
        </p>
      )}
      {report !== null && <Found report={report} />}
      {data.length === 0 && <p class="hint">{t('settings.imports.none')}</p>}
      {data.map(one => (
        <ImportedOne key={one.id} site={site} one={one} isBusy={running !== null} onChange={onChange} />
      ))}
    </>
  );
};

const progressText = ({ kind, isWaiting, done, of, lines, part }: NonNullable<ImportList['running']>): string => {
  if (isWaiting) return t('settings.work.waiting');
  if (kind === 'undo') return t('settings.imports.takingBack', { done, of });
  if (of > 0) return t('settings.imports.writing', { done, of });
  return t('settings.imports.reading', { percent: Math.floor(100 * (part ?? 0)), lines: formatNumber(lines) });
};

interface ImportedOneProps {
  site: SiteView;
  one: ImportView;
  isBusy: boolean;
  onChange: () => void;
}

const ImportedOne = ({ site, one, isBusy, onChange }: ImportedOneProps) => {
  const { client } = useApp();
  const { id, file, format, days, lines, isFinished } = one;
  const form = useSubmit(async () => {
    await client.post<ImportList>(`/app/sites/${site.id}/imports/${id}/undo`, {});
    onChange();
  });
  return (
    <section class="form" aria-label={file}>
      <p>
        <strong>{file}</strong> {t('settings.imports.facts', { format, lines })}
        {days !== null && ` ${formatDays(days.first, days.last)}`}
      </p>
      {isFinished ? (
        <Totals name={file} source={one.source} counted={one.counted} />
      ) : (
        <p class="hint">{t('settings.imports.unfinished')}</p>
      )}
      <div class="form-actions">
        <AskedButton
          form={form}
          label={t('settings.imports.takeBack')}
          name={t('settings.imports.takeBackNamed', { file })}
          action={t('settings.imports.takeBackNow')}
          note={t('settings.imports.takeBack.note')}
          danger
          disabled={isBusy}
        />
      </div>
      {form.error !== null && (
        <p class="field-error" role="alert">
          {form.error}
        </p>
      )}
    </section>
  );
};
