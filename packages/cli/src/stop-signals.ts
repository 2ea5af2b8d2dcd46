import { systemClock } from '@fnlet/base';
import { sameKeyPressMs } from './limits.ts';

/** Hears Ctrl-C and SIGTERM until it is disposed. */
export interface StopSignals extends Disposable {
  /** Aborts at the first one. The second one does not ask: it ends the process with code 130. */
  readonly signal: AbortSignal;
}

/** From now on this process ends when its work has, not in the middle of it. */
export function listenForStop(): StopSignals {
  const abort = new AbortController();
  let firstMs = 0;
  const onSignal = (): void => {
    const nowMs = systemClock.monotonicMs();
    if (!abort.signal.aborted) firstMs = nowMs;
    // Below npm, one key press arrives twice: from the terminal, and forwarded by npm.
    else if (nowMs - firstMs > sameKeyPressMs) process.exit(130);
    abort.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: abort.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
