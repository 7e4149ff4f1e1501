import { titleOf } from '../site.js';

export default {
  cleanUrls: true,
  title: 'Site',
  titleTemplate: false,
  head: [['script', { defer: '', src: 'https://stats.example.com/t.js', 'data-site': 'pk_live_…' }]],
  transformPageData: ({ params }) => ({ title: titleOf(`/${params?.path}`.replace('/index', '/')) }),
};
