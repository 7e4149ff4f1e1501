/** What somebody sees of every page who still has to set up a second factor. */
import { t } from '../texts/text.ts';

export const NeedsFactor = () => (
  <div class="entry">
    <h1>{t('page.factor')}</h1>
    <p>{t('entry.factor.note')}</p>
    <p>
      <a class="button primary" href="/settings?_section=sign-in">
        {t('entry.factor.action')}
      </a>
    </p>
  </div>
);
