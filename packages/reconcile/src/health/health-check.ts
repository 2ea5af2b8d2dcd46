/** One thing that must be well; it throws, or rejects, when it is not. */
export interface HealthCheck {
  readonly name: string;
  check(signal: AbortSignal): void | Promise<void>;
}

/** That everything which these promises stand for has been read once. */
export function syncedCheck(name: string, synced: Promise<void>): HealthCheck {
  let isSynced = false;
  synced.then(
    () => {
      isSynced = true;
    },
    // What cannot be read at all ends its owner; here it is just not ready.
    () => undefined,
  );
  return {
    name,
    check() {
      if (!isSynced) throw new Error('not read for the first time yet');
    },
  };
}
