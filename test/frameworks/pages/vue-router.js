import { createApp, h } from 'vue';
import { createRouter, createWebHistory, RouterLink, RouterView, useRoute } from 'vue-router';
import { links, load, redirectsTo, titleOf } from '../site.ts';

const Here = {
  setup() {
    const route = useRoute();
    return () => h('h1', titleOf(route.path, `?page=${route.query.page}`));
  },
};

const router = createRouter({
  history: createWebHistory(),
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
