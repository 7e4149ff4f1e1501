/** The public page of a site: made, given a new address, withdrawn. */
import type { SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions } from '../form/field.tsx';
import { useSubmit } from '../form/use-submit.ts';
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
      note="Read-only, without single visits, and asking search engines to stay away. Whoever has the address sees it."
    >
      {site.shareUrl === null ? (
        <form onSubmit={share.submit}>
          <Actions form={share} label="Make a public page" />
        </form>
      ) : (
        <div class="form">
          <CopyField text={site.shareUrl} label="Public address" />
          <div class="form-actions">
            <form onSubmit={share.submit}>
              <button type="submit" class="button" data-tip="The present one stops working at once">
                New address
              </button>
            </form>
            <form onSubmit={withdraw.submit}>
              <button type="submit" class="button danger">
                Withdraw
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
