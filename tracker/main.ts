/** The tracker, bundled into /t.js. */
import { readConfig } from './config.ts';
import { quietly } from './quietly.ts';
import { findTag, start } from './start.ts';

quietly(() => {
  const tag = findTag('script[data-site]');
  if (tag?.dataset.site) start(readConfig(tag));
})();
