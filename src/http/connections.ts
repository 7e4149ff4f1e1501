/**
 * Bounds the open connections, so that nobody who opens many keeps others out: when there are too
 * many, one is closed, of a network that has more than others.
 */
import type { Socket } from 'node:net';

/** How many connections are looked at to find one to close: whoever has many is among them. */
const looks = 8;
/** From one look to the next, as a part of all: the golden section meets all parts evenly. */
const step = 0.618;

/**
 * Takes a new connection, and closes one when there are more than `max`: of the newest and some
 * others, one of the network that has the most. `networkOf` gives the number of an address's
 * network, or 0 for a proxy, which is closed last.
 */
export const connectionBound = (max: number, networkOf: (address: string) => number): ((socket: Socket) => void) => {
  const open: Connection[] = [];
  const counts = new Map<number, number>();
  /** Where the last look ended; the next one goes on from there. */
  let hand = 0;

  const countOf = ({ network }: Connection): number => (network === 0 ? 0 : counts.get(network)!);

  const oneToClose = (newest: Connection): Connection => {
    let found = newest;
    for (let look = 0; look < looks; look++) {
      hand = (hand + Math.ceil(step * open.length)) % open.length;
      if (countOf(open[hand]!) > countOf(found)) found = open[hand]!;
    }
    return found;
  };

  const forget = (connection: Connection): void => {
    const { network, index } = connection;
    if (index < 0) return;
    connection.index = -1;
    const count = counts.get(network)! - 1;
    if (count === 0) counts.delete(network);
    else counts.set(network, count);
    const last = open.pop()!;
    if (last === connection) return;
    open[index] = last;
    last.index = index;
  };

  return socket => {
    const connection: Connection = { socket, network: networkOf(socket.remoteAddress ?? ''), index: open.length };
    open.push(connection);
    counts.set(connection.network, (counts.get(connection.network) ?? 0) + 1);
    socket.once('close', () => forget(connection));
    if (open.length <= max) return;
    const closed = oneToClose(connection);
    forget(closed);
    closed.socket.destroy();
  };
};

interface Connection {
  socket: Socket;
  network: number;
  /** Its place among the open ones; -1 once it is not one of them. */
  index: number;
}
