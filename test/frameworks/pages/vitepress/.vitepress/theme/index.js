import { Content, useRoute } from 'vitepress';
import { h } from 'vue';
import { links, load, redirectsTo, titleOf } from '../../site.js';

export default {
  Layout: {
    setup() {
      const route = useRoute();
      return () => [h('h1', titleOf(route.path)), h(Content), links.map(to => h('a', { href: to }, `${to} `))];
    },
  },
  enhanceApp({ router }) {
    router.onBeforeRouteChange = to => {
      if (to !== '/old') return true;
      router.go(redirectsTo);
      return false;
    };
    if (!import.meta.env.SSR) router.onBeforePageLoad = to => load(new URL(to, 'http://site').pathname);
    // Its pages have no query, so the one that has takes its title from there.
    router.onAfterRouteChange = () => {
      if (!globalThis.location?.search.includes('page')) return;
      document.title = titleOf(location.pathname, location.search);
      document.querySelector('h1').textContent = document.title;
    };
  },
};
