/**
 * How many requests are under way at once, of all Triggers together, beside what each may have for
 * itself.
 *
 * I1. `inFlightMax` at most, and none begins while `bytesMax` of bodies are held. But whoever has
 *     none under way may begin one: targets that are slow keep back nobody for ever.
 * I2. Those who wait are served in turn; who has more than an equal share comes after the others.
 * I3. One turn of the event loop begins `begunPerTurn` at most. Answers are read between: where the
 *     target is fast, few requests are under way, however many events wait.
 */
export interface SlotLimits {
  readonly inFlightMax: number;
  readonly bytesMax: number;
  readonly begunPerTurn: number;
}

export interface SlotHooks {
  /** Calls back in the next turn of the event loop: `setImmediate`. */
  readonly nextTurn: (callback: () => void) => void;
  /** Called when one more is under way. */
  readonly onTaken?: () => void;
}

export class DeliverySlots {
  readonly #limits: SlotLimits;
  readonly #hooks: SlotHooks;
  readonly #waiting = new Set<SlotUser>();
  #inFlight = 0;
  #bytes = 0;
  /** How many users have something under way. */
  #busy = 0;
  #begun = 0;
  #served: SlotUser | undefined;

  constructor(limits: SlotLimits, hooks: SlotHooks) {
    this.#limits = limits;
    this.#hooks = hooks;
  }

  /** How many requests are under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Calls back in the next turn of the event loop. */
  nextTurn(callback: () => void): void {
    this.#hooks.nextTurn(callback);
  }

  /**
   * @param onTurn called when it is the turn of a user that was refused; it may take one slot then.
   * Whether it wants another
   */
  open(onTurn: () => boolean): SlotUser {
    return new SlotUser(this, onTurn);
  }

  /** @internal */
  take(user: SlotUser): boolean {
    if (!this.#allows(user)) {
      this.#waiting.add(user);
      return false;
    }
    if (user.inFlight === 0) this.#busy++;
    this.#inFlight++;
    this.#begun++;
    if (this.#begun === 1) this.#hooks.nextTurn(this.#onNextTurn);
    this.#hooks.onTaken?.();
    return true;
  }

  /** @internal */
  give(user: SlotUser, bytes: number): void {
    if (user.inFlight === 0) this.#busy--;
    this.#inFlight--;
    this.#bytes -= bytes;
    this.#serve();
  }

  /** @internal */
  hold(bytes: number): void {
    this.#bytes += bytes;
  }

  /** @internal */
  forget(user: SlotUser): void {
    this.#waiting.delete(user);
  }

  get #hasRoom(): boolean {
    return this.#inFlight < this.#limits.inFlightMax && this.#bytes < this.#limits.bytesMax;
  }

  #allows(user: SlotUser): boolean {
    if (this.#begun >= this.#limits.begunPerTurn) return false;
    if (user.inFlight === 0) return true;
    return this.#hasRoom && (this.#served === user || this.#waiting.size === 0);
  }

  readonly #onNextTurn = (): void => {
    this.#begun = 0;
    this.#serve();
  };

  #serve(): void {
    if (this.#served !== undefined) return;
    while (this.#begun < this.#limits.begunPerTurn) {
      const user = this.#next();
      if (user === undefined) break;
      this.#waiting.delete(user);
      this.#served = user;
      const wantsMore = user.onTurn();
      this.#served = undefined;
      if (wantsMore) this.#waiting.add(user);
    }
  }

  /** I1, I2 */
  #next(): SlotUser | undefined {
    const share = this.#hasRoom ? this.#limits.inFlightMax / Math.max(1, this.#busy) : 1;
    for (const user of this.#waiting) if (user.inFlight < share) return user;
    const [first] = this.#hasRoom ? this.#waiting : [];
    return first;
  }
}

/** Who has requests under way: the delivery of a Trigger. */
export class SlotUser {
  readonly onTurn: () => boolean;
  /** How many are under way. */
  inFlight = 0;
  readonly #slots: DeliverySlots;

  constructor(slots: DeliverySlots, onTurn: () => boolean) {
    this.#slots = slots;
    this.onTurn = onTurn;
  }

  /** Whether one more may begin now. If not, `onTurn` is called when it may. */
  take(): boolean {
    const isTaken = this.#slots.take(this);
    if (isTaken) this.inFlight++;
    return isTaken;
  }

  /** One is over, which held so many bytes. */
  give(bytes: number): void {
    this.inFlight--;
    this.#slots.give(this, bytes);
  }

  /** One that is under way holds so many bytes. */
  hold(bytes: number): void {
    this.#slots.hold(bytes);
  }

  /** It wants no more. */
  close(): void {
    this.#slots.forget(this);
  }
}

/** For one delivery alone: its policy is its only bound. */
export function unboundedSlots(nextTurn: SlotHooks['nextTurn'] = queueMicrotask): DeliverySlots {
  const none = Number.POSITIVE_INFINITY;
  return new DeliverySlots({ inFlightMax: none, bytesMax: none, begunPerTurn: none }, { nextTurn });
}
