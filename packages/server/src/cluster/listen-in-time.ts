import { type Clock, FnletError, hasCode, sleep } from '@fnlet/base';
import { portRetryMs, portTriesMax } from './limits.ts';

/**
 * Listens; a controller that ends on the same machine may hold the port for a moment.
 *
 * @throws FnletError `ListenFailed`
 */
export async function listenInTime(
  listen: (port: number) => Promise<number>,
  port: number,
  { clock, leads }: { readonly clock: Clock; readonly leads: AbortSignal },
): Promise<void> {
  for (let tries = 1; !leads.aborted; tries++) {
    try {
      await listen(port);
      return;
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE') || tries === portTriesMax) {
        const message = `Cannot listen on port ${port}`;
        throw new FnletError('ListenFailed', message, { cause: error });
      }
      await sleep(clock, portRetryMs, leads);
    }
  }
}
