/**
 * How a piece of work shares its thread: it works in turns, of some ten milliseconds where others
 * wait. Work that is in the middle of something ends it first, so nothing it does may take long.
 */
export interface Pace {
  /** Throws QueryCanceled when nobody waits for this work any more. It costs next to nothing. */
  throwIfCanceled(): void;
  /** False when it is time to wait for another turn. Throws as `throwIfCanceled` does. */
  mayGoOn(): boolean;
  /** Resolves when it is this work's turn. Rejects as `throwIfCanceled` throws. */
  turn(): Promise<void>;
}

/** For work that has its thread for itself. */
export const alone: Pace = { throwIfCanceled() {}, mayGoOn: () => true, turn: () => Promise.resolve() };

/** Waits for another turn if it is time to. */
export const giveWay = (pace: Pace): Promise<void> | undefined => (pace.mayGoOn() ? undefined : pace.turn());

/** Thrown when it is time to give way before a day has been read. */
export class Unread extends Error {}

/** To be called between steps of work that goes on where it was when it is called again. */
export const pauseOf = (pace: Pace) => (): void => {
  if (!pace.mayGoOn()) throw new Unread();
};

/** Calls work again in other turns until it ends. */
export const untilDone = async <T>(pace: Pace, work: (pause: () => void) => T): Promise<T> => {
  while (true) {
    try {
      return work(pauseOf(pace));
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
    }
    await pace.turn();
  }
};
