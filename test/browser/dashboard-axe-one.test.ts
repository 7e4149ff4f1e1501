/** One half of all scenes; see axe.ts. */
import { test } from 'uvu';
import { lookAtScenes } from './axe.ts';

await lookAtScenes(0);
test.run();
