/**
 * The pages with forms: signing in and settings. Fetched together, and only by those who need them.
 */
export { AddSitePage, FirstHit } from './entry/add-site.tsx';
export { AuthorizePage } from './entry/authorize.tsx';
export { InvitationPage } from './entry/invitation-page.tsx';
export { LinkPage } from './entry/link-page.tsx';
export { MutePage } from './entry/mute-page.tsx';
export { NeedsFactor } from './entry/needs-factor.tsx';
export { ProofDialog } from './entry/proof-dialog.tsx';
export { SharePassword } from './entry/share-password.tsx';
export { SignIn } from './entry/sign-in.tsx';
export { SitesPage } from './entry/sites-page.tsx';
export { AccountSettings } from './settings/account-settings.tsx';
export { SiteSettings } from './settings/site-settings.tsx';
