/** What people without an account do with alerts: mute one, by the link in its message. */
import { muteHours } from '../api/alerts/changes.ts';
import { asTyped, field } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import { hourMs } from '../model/time.ts';
import { alerts as alertStore } from '../store/alerts/alerts.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, ok, openPost } from './route.ts';
import type { MuteOffer } from './wire.ts';

export const alertRoutes = ({ db, directory, now }: AppParts): DashboardRoute[] => {
  const alerts = alertStore(db);
  return [
    openPost('/app/mute', ({ body }) => {
      const token = field(body, 'token', asTyped);
      const alert = alerts.byMuteToken(token);
      const site = alert && directory.byId(alert.siteId);
      if (alert === undefined || site === undefined) throw new HttpError('app-dead-link');
      const hours = muteHours.find(each => each === body.hours);
      if (hours !== undefined) alerts.mute(alert.id, now() + hours * hourMs);
      const until = hours === undefined ? alert.mutedUntil : now() + hours * hourMs;
      return ok<MuteOffer>({ name: alert.name, site: site.domain, isMuted: until !== null && until > now() });
    }),
  ];
};
