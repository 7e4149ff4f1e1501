import { paths } from './site.js';

export default { paths: () => paths.map(path => ({ params: { path: path.slice(1) || 'index' } })) };
