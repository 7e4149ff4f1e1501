/** Entry of /script.js and /umami.js: our tracker under Umami's tag. */
import { quietly } from './quietly.ts';
import { findTag, type Started, start } from './start.ts';
import { createChange, createUmami, listenToElements, readUmamiConfig } from './umami.ts';

quietly(() => {
  const tag = findTag('script[data-website-id],script[data-site]');
  if (!tag) return;
  const { dataset } = tag;
  const config = readUmamiConfig(tag);
  if (!config.site) return;
  config.change = createChange(dataset, hit => started.transport.send(hit));
  const started: Started = start(config);
  if (!dataset.websiteId) return;
  window.umami = createUmami(started, config, dataset);
  listenToElements(window.umami);
})();
