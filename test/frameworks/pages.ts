/** The pages of a framework, ready to be served. */
import { once } from 'node:events';
import { join } from 'node:path';
import { buildProject, bundle, startCommand } from './build.ts';
import type { Framework } from './frameworks.ts';
import { folderOf } from './install.ts';
import { type Respond, respondBy, respondFrom, respondWith } from './web.ts';

export interface Pages {
  respond: Respond;
  close(): Promise<void>;
}

/** Builds what has to be built, and starts the framework's own server if it has one. */
export const openPages = async (framework: Framework): Promise<Pages> => {
  const { project } = framework;
  const nothing = async (): Promise<void> => {};
  if (!project) return { respond: respondWith(framework, await bundle(framework)), close: nothing };
  await buildProject(framework);
  if (project.start) return openOwnServer(framework, project.start);
  return { respond: respondFrom(join(folderOf(framework), project.output!), project.fallback), close: nothing };
};

const openOwnServer = async (framework: Framework, command: string): Promise<Pages> => {
  const child = startCommand(framework, command);
  process.once('exit', () => child.kill());
  const gone = once(child, 'exit');
  child.stderr.resume();
  let output = '';
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found) resolve(found[0]);
    });
    gone.then(() => reject(new Error(`${command} ended: ${output}`)), reject);
  });
  return {
    respond: respondBy(origin),
    async close() {
      child.kill();
      await gone;
    },
  };
};
