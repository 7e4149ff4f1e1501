import { createApp, h } from 'vue';
import { createRouter, RouterLink, RouterView, useRoute } from 'vue-router';
import { links, load, redirectsTo, titleOf } from '../site.ts';

const Here = {
  setup() {
    const route = useRoute();
    return () => h('h1', titleOf(route.path, `?page=${route.query.page}`));
  },
};

/** Runs the application, which keeps its page where `history` says. */
export const run = history => {
  const router = createRouter({
    history,
    routes: [
      { path: '/old', redirect: redirectsTo },
      { path: '/:path(.*)', component: Here },
    ],
  });
  router.beforeEach(to => load(to.path));
  router.afterEach(to => {
    document.title = titleOf(to.path, `?page=${to.query.page}`);
  });

  createApp({
    render: () => [links.map(to => h(RouterLink, { to }, () => `${to} `)), h(RouterView)],
  })
    .use(router)
    .mount('#root');
};
