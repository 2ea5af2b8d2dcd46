import { assert } from '@fnlet/base';
import type { Fault } from './fault.ts';
import { limits } from './limits.ts';
import { matches, type RequestMatch, type SeenRequest } from './seen-request.ts';

/** Which requests a fault meets, and how many of them. */
export interface FaultOptions extends RequestMatch {
  /** How many matching requests it meets before it is used up. Default 1. */
  readonly times?: number;
}

/** A fault that waits for its requests. */
export interface PendingFault {
  /** How many requests it has met. */
  readonly met: number;
  /** Takes it back; idempotent. */
  remove(): void;
}

/** Whoever can end watches in the middle: the server behind the switches. */
export interface WatchCutter {
  cut(isMeant: (seen: SeenRequest) => boolean): number;
}

interface Rule {
  readonly fault: Fault;
  readonly match: RequestMatch;
  readonly times: number;
  met: number;
}

/**
 * Makes an API go wrong on purpose. A request meets the oldest fault that matches it; faults are
 * used up in the order of requests, so that a test with one seed sees the same each time.
 *
 * @example
 * cluster.faults.conflict({ verb: 'update', resource: 'configmaps' });
 * cluster.faults.throttle({ times: 3, retryAfterSeconds: 2 });
 * cluster.faults.dropWatches({ resource: 'pods' });
 */
export class FaultSwitches {
  readonly #watches: WatchCutter;
  readonly #rules: Set<Rule>;
  readonly #scope: RequestMatch;

  constructor(watches: WatchCutter, rules: Set<Rule> = new Set(), scope: RequestMatch = {}) {
    this.#watches = watches;
    this.#rules = rules;
    this.#scope = scope;
  }

  /** The same switches, for requests of this user only. */
  of(user: string): FaultSwitches {
    return new FaultSwitches(this.#watches, this.#rules, { user });
  }

  /** 410 Expired for a list or watch; other verbs when `verb` names them. */
  gone(options: FaultOptions = {}): PendingFault {
    return this.#add({ kind: 'gone' }, { verb: ['list', 'watch'], ...options });
  }

  /** 409 Conflict for an update or patch; other verbs when `verb` names them. */
  conflict(options: FaultOptions = {}): PendingFault {
    return this.#add({ kind: 'conflict' }, { verb: ['update', 'patch'], ...options });
  }

  /** 429 with Retry-After. Default: 1 s. */
  throttle(options: FaultOptions & { readonly retryAfterSeconds?: number } = {}): PendingFault {
    const { retryAfterSeconds = 1, ...met } = options;
    return this.#add({ kind: 'throttle', retryAfterSeconds }, met);
  }

  /** 503. */
  unavailable(options: FaultOptions = {}): PendingFault {
    return this.#add({ kind: 'unavailable' }, options);
  }

  /** 500. */
  fail(options: FaultOptions = {}): PendingFault {
    return this.#add({ kind: 'fail' }, options);
  }

  /** The answer comes `delayMs` later, on the cluster's clock. */
  slow(options: FaultOptions & { readonly delayMs: number }): PendingFault {
    const { delayMs, ...met } = options;
    return this.#add({ kind: 'slow', delayMs }, met);
  }

  /** The request is carried out, and its answer never arrives. */
  loseAnswer(options: FaultOptions = {}): PendingFault {
    return this.#add({ kind: 'loseAnswer' }, options);
  }

  /** Breaks the open watches that match, as a reset connection does; returns how many. */
  dropWatches(match: RequestMatch = {}): number {
    return this.#watches.cut((seen) => matches(seen, { ...this.#scope, ...match }));
  }

  /** Takes back every fault that waits. */
  clear(): void {
    this.#rules.clear();
  }

  /** For the server: the fault that a request meets, which thereby counts. */
  take(seen: SeenRequest): Fault | undefined {
    for (const rule of this.#rules) {
      if (!matches(seen, rule.match)) continue;
      rule.met++;
      if (rule.met >= rule.times) this.#rules.delete(rule);
      return rule.fault;
    }
    return undefined;
  }

  #add(fault: Fault, { times = 1, ...match }: FaultOptions): PendingFault {
    assert(times > 0, 'a fault meets at least one request');
    assert(this.#rules.size < limits.faultsMax, `at most ${limits.faultsMax} faults wait`);
    const rule: Rule = { fault, match: { ...this.#scope, ...match }, times, met: 0 };
    this.#rules.add(rule);
    return {
      get met(): number {
        return rule.met;
      },
      remove: () => this.#rules.delete(rule),
    };
  }
}
