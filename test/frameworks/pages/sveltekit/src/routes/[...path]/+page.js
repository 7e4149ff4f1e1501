import { redirect } from '@sveltejs/kit';
import { load as loadData, redirectsTo, titleOf } from '../../../site.js';

export const load = async ({ url }) => {
  if (url.pathname === '/old') redirect(307, redirectsTo);
  await loadData(url.pathname);
  return { title: titleOf(url.pathname, url.search) };
};
