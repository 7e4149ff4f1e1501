/** A steady load: requests are due at fixed times whether or not the server keeps up, and are timed from when they were due. */
import { connect, type Socket } from 'node:net';

export interface Load {
  /** Milliseconds from due to answered, and how many were answered with 202 or otherwise, since they were last taken. */
  take(): { times: number[]; accepted: number; others: number };
  stop(): Promise<void>;
}

export interface LoadOptions {
  url: string;
  perSecond: number;
  connections: number;
  /** The next request, as bytes on the wire. */
  next: () => string;
}

/** How often requests fall due. */
export const loadTickMs = 5;

export const startLoad = ({ url, perSecond, connections, next }: LoadOptions): Load => {
  const { hostname, port } = new URL(url);
  const idle: Lane[] = [];
  const due: number[] = [];
  let [times, accepted, others]: [number[], number, number] = [[], 0, 0];
  let open = 0;
  let owed = 0;
  let last = performance.now();

  const dispatch = (): void => {
    while (due.length > 0 && idle.length > 0) {
      open++;
      // In turn, so that none is idle for so long that the server closes it.
      idle.shift()!.send(next(), due.shift()!);
    }
  };
  const answered = (lane: Lane, dueAt: number, status: number): void => {
    open--;
    times.push(performance.now() - dueAt);
    if (status === 202) accepted++;
    else others++;
    idle.push(lane);
    dispatch();
  };
  for (let i = 0; i < connections; i++) idle.push(laneTo(connect(Number(port), hostname), answered));

  const timer = setInterval(() => {
    const now = performance.now();
    owed += ((now - last) * perSecond) / 1000;
    for (; owed >= 1; owed--) due.push(now);
    last = now;
    dispatch();
  }, loadTickMs);

  return {
    take() {
      const taken = { times, accepted, others };
      [times, accepted, others] = [[], 0, 0];
      return taken;
    },
    async stop() {
      clearInterval(timer);
      due.length = 0;
      while (open > 0) await new Promise(resolve => setTimeout(resolve, 10));
      for (const { socket } of idle) socket.destroy();
    },
  };
};

/** One connection, which carries a request at a time. */
interface Lane {
  socket: Socket;
  send(request: string, dueAt: number): void;
}

const laneTo = (socket: Socket, answered: (lane: Lane, dueAt: number, status: number) => void): Lane => {
  let received = '';
  let dueAt = 0;
  const lane: Lane = {
    socket,
    send(request, due) {
      dueAt = due;
      received = '';
      socket.write(request);
    },
  };
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    const head = received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const [, length = '0'] = /content-length: (\d+)/i.exec(received) ?? [];
    if (received.length >= head + 4 + Number(length)) answered(lane, dueAt, Number(received.slice(9, 12)));
  });
  socket.on('error', error => {
    throw error;
  });
  return lane;
};
