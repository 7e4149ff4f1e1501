/** Somebody signed in as the one who makes a change. */
import type { By } from '../api/changes/by.ts';
import type { InTeam } from './allow.ts';
import type { AppParts } from './parts.ts';
import { requireProof } from './proof.ts';
import type { Call } from './route.ts';

export const byOf = (parts: AppParts, { request, origin }: Call, on: InTeam): By => ({
  ...{ request, origin, grant: on.grant, person: on.person, endsAt: null },
  prove: () => requireProof(parts, on),
});
