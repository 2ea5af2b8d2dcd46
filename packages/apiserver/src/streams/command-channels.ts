import type { Readable, Writable } from 'node:stream';
import type { CommandEnd } from './command-end.ts';

/** The streams of one exec or attach, whichever protocol carries them. */
export interface CommandChannels {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** JSON objects `{"Width": 80, "Height": 24}`, one after another. */
  readonly resize: Readable | undefined;
  /** Tells the client how it ended, after all output. Resolves when that is on its way. */
  finish(end: CommandEnd): Promise<void>;
}

/** Which streams a client asked for. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Ends a stream, and waits until what it holds is sent or the connection is gone. */
export function endStream(stream: Writable | undefined, last = ''): Promise<void> {
  if (stream === undefined || stream.closed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', () => resolve());
    if (last === '') stream.end();
    else stream.end(last);
  });
}
