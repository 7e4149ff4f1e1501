/** The public page of a site: creating it, a new address, removing it. */
import type { SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions, useSubmit } from '../form/form.tsx';
import { CopyField } from '../parts/copy.tsx';
import { Section } from './section.tsx';

export const ShareSection = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const post = async (path: string): Promise<void> => {
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}/${path}`, {}));
  };
  const share = useSubmit(() => post('share'));
  const withdraw = useSubmit(() => post('share/withdraw'));
  return (
    <Section
      title="Public page"
      note="A read-only page for everyone who has the address. It shows no single visits, and search engines are asked not to index it."
    >
      {site.shareUrl === null ? (
        <form onSubmit={share.submit}>
          <Actions form={share} label="Create public page" />
        </form>
      ) : (
        <div class="form">
          <CopyField text={site.shareUrl} label="Public address" />
          <div class="form-actions">
            <form onSubmit={share.submit}>
              <button type="submit" class="button" data-tip="The current address stops working immediately">
                New address
              </button>
            </form>
            <form onSubmit={withdraw.submit}>
              <button type="submit" class="button danger">
                Remove
              </button>
            </form>
            {(share.error ?? withdraw.error) !== null && (
              <p class="field-error" role="alert">
                {share.error ?? withdraw.error}
              </p>
            )}
          </div>
        </div>
      )}
    </Section>
  );
};
