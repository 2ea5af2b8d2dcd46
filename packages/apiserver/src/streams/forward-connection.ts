import type { Duplex, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '@fnlet/base';
import { endStream } from './command-channels.ts';

/** One forwarded connection as its client sees it. */
export interface ForwardStreams {
  readonly incoming: Readable;
  readonly outgoing: Writable;
  /** Told, as text, why the port could not be reached; else closed without a word. */
  readonly errors: Writable;
  /**
   * Whether the client cannot tell its own end: then the end of what it is connected to is the end
   * of both directions.
   */
  readonly endsWithTarget?: boolean;
}

/**
 * Carries bytes both ways between a client and what `connect` reaches; either side may end before
 * the other. Never rejects.
 */
export async function forwardConnection(
  { incoming, outgoing, errors, endsWithTarget = false }: ForwardStreams,
  connect: () => Promise<Duplex>,
): Promise<void> {
  let target: Duplex;
  try {
    target = await connect();
  } catch (error) {
    // Before the data ends: a client that sees that end first thinks that all went well.
    await endStream(errors, errorMessage(error));
    incoming.destroy();
    await endStream(outgoing);
    return;
  }
  const [, received] = await Promise.allSettled([
    pipeline(incoming, target),
    pipeline(target, outgoing).finally(() => {
      if (endsWithTarget) incoming.destroy();
    }),
  ]);
  target.destroy();
  incoming.destroy();
  // A server that resets the connection is a failure of that connection, not of the forwarding.
  if (received.status === 'rejected') outgoing.destroy();
  await endStream(errors);
}
