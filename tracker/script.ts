/** Entry of /script.js: our tracker under Umami's tag. */
import { quietly } from './quietly.ts';
import { findTag, start } from './start.ts';
import { createUmami, readUmamiConfig } from './umami.ts';

quietly(() => {
  const tag = findTag('script[data-website-id],script[data-site]');
  if (!tag) return;
  const config = readUmamiConfig(tag);
  if (!config.site) return;
  const { calls, page } = start(config);
  if (tag.dataset.websiteId) window.umami = createUmami(calls, page.pageview);
})();
