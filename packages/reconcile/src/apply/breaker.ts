/*
 * Two controllers that want different things fight at full speed, because nothing fails
 * (crossplane#6751). What tells a fight is that *own writes change the child again and again*
 * although nobody asked the primary for anything new: mostly back to what it was brought to before,
 * or each time to something else, which a reconcile does that is woken by its own writes. Events
 * are not counted: a breaker that counts them opens on normal creation (crossplane#6910) and for
 * many children (#7108).
 */

/** When a breaker opens, and for how long. */
export interface BreakerOptions {
  /** Effective writes back to what was written before, in a window, that open it. Default 10. */
  readonly rewritesMax?: number;
  /** Effective writes of any kind in a window that open it. Default 60. */
  readonly writesMax?: number;
  /** Length of the window in milliseconds. Default one minute. */
  readonly windowMs?: number;
  /** How long it stays open at first; twice as long each time that a probe meets the rival. */
  readonly pauseMs?: number;
  /** The longest pause. */
  readonly pauseMaxMs?: number;
}

export type ResolvedBreakerOptions = Required<BreakerOptions>;

/** A write that changed the child. */
export interface CountedWrite {
  readonly atMs: number;
  /** Whether it brought the child back to what had been written before. */
  readonly isRewrite: boolean;
}

/** What a breaker remembers of the writes to one child. */
export interface BreakerState {
  /** What the primary asked for when these writes happened; something new starts over. */
  readonly cause: string;
  /** The effective writes within the window. */
  readonly writes: readonly CountedWrite[];
  /** Set once it has opened: until when nothing is written, and how often that happened. */
  readonly open?: { readonly untilMs: number; readonly trips: number };
}

/**
 * Until when the child is left alone; `undefined` when it may be written. After a pause one write
 * is let through as a probe: if it has an effect, the rival is still there.
 */
export function openUntilMs(
  state: BreakerState | undefined,
  { cause, nowMs }: { readonly cause: string; readonly nowMs: number },
): number | undefined {
  if (state?.open === undefined || state.cause !== cause) return undefined;
  return nowMs < state.open.untilMs ? state.open.untilMs : undefined;
}

/** The state after a write that changed the child. */
export function afterEffectiveWrite(
  state: BreakerState | undefined,
  { cause, ...write }: CountedWrite & { readonly cause: string },
  options: ResolvedBreakerOptions,
): BreakerState {
  if (state === undefined || state.cause !== cause) return { cause, writes: [] };
  const { rewritesMax, writesMax, windowMs, pauseMs, pauseMaxMs } = options;
  const { atMs } = write;
  if (state.open !== undefined) {
    const { untilMs, trips } = state.open;
    // A whole window of peace after a pause ends the fight.
    if (atMs >= untilMs + windowMs) return { cause, writes: [write] };
    const nextMs = Math.min(pauseMaxMs, pauseMs * 2 ** trips);
    return { cause, writes: [], open: { untilMs: atMs + nextMs, trips: trips + 1 } };
  }
  const writes = [...state.writes.filter((past) => past.atMs > atMs - windowMs), write];
  const rewrites = writes.filter(({ isRewrite }) => isRewrite);
  if (rewrites.length < rewritesMax && writes.length < writesMax) return { cause, writes };
  return { cause, writes: [], open: { untilMs: atMs + pauseMs, trips: 1 } };
}
