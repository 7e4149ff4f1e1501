/** A router of the Navigation API alone. */
import { links, load, redirectsTo, titleOf } from '../site.ts';

const root = document.getElementById('root');

const show = async ({ pathname, search }) => {
  if (pathname === '/old') return navigation.navigate(redirectsTo, { history: 'replace' });
  await load(pathname);
  document.title = titleOf(pathname, search);
  root.innerHTML = `<h1>${document.title}</h1>${links.map(to => `<a href="${to}">${to}</a>`).join(' ')}`;
};

window.navigation?.addEventListener('navigate', event => {
  if (event.canIntercept && !event.hashChange && event.navigationType !== 'reload')
    event.intercept({ handler: () => show(new URL(event.destination.url)) });
});
show(location);
