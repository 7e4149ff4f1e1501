/** One question to a thread and its answer. */
import type { Worker } from 'node:worker_threads';

/** A thread's reply when it cannot do what it was asked. */
interface Failed {
  kind: 'failed';
  message: string;
}

/**
 * Asks a thread that answers one request at a time. Rejects when it cannot do what it was asked, or
 * ends before it answers.
 */
export const askThread = <Reply extends { kind: string }>(
  thread: Worker,
  name: string,
  request: object,
): Promise<Exclude<Reply, Failed>> =>
  new Promise((resolve, reject) => {
    const settle = (result: Reply | Failed | Error): void => {
      thread.off('message', settle);
      thread.off('error', settle);
      thread.off('exit', onExit);
      if (result instanceof Error) reject(result);
      else if (result.kind === 'failed') reject(new Error((result as Failed).message));
      else resolve(result as Exclude<Reply, Failed>);
    };
    const onExit = (code: number): void => settle(new Error(`The ${name} thread ended with code ${code}.`));
    thread.on('message', settle);
    thread.on('error', settle);
    thread.on('exit', onExit);
    thread.postMessage(request);
  });
