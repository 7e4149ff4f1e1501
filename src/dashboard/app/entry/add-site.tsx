/** Adds a site, then shows the tag to put into its pages and waits for the first hit. */
import { useState } from 'preact/hooks';
import type { AddSite as AddSiteBody, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions } from '../form/field.tsx';
import { guessedSite, SiteFields } from '../form/site-fields.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { Install } from './install.tsx';

export const AddSite = ({ isFirst = false }: { isFirst?: boolean }) => {
  const { client, setSite } = useApp();
  const [values, setValues] = useState(guessedSite);
  const [added, setAdded] = useState<SiteView | null>(null);
  const form = useSubmit(async () => {
    const site = await client.post<SiteView>('/app/sites', values satisfies AddSiteBody);
    setSite(site.id, site);
    setAdded(site);
  });
  if (added !== null) return <Install site={added} />;
  return (
    <div class="entry">
      <h1>{isFirst ? 'Add your first site' : 'Add a site'}</h1>
      <form class="form" onSubmit={form.submit}>
        <SiteFields values={values} setValues={setValues} form={form} autofocus />
        <Actions form={form} label="Add the site" />
      </form>
    </div>
  );
};

/** As a page of its own. */
export const AddSitePage = () => <AddSite />;
