import type { Clock } from '@fnlet/base';
import type { CallerOrigin } from '../fronts/wire.ts';
import type { RequestHead } from '../http1/request-head.ts';
import type { Trace } from '../trace.ts';
import { type CallFacts, CallRecord } from './call-record.ts';

/** Tells about requests that are over: in a log, or as spans. */
export interface CallReader {
  read(facts: CallFacts): void;
}

/** Keeps a record of each request that was read, for those who tell about it when it is over. */
export class CallRecords {
  readonly #clock: Clock;
  readonly #readers: readonly CallReader[];

  constructor(clock: Clock, readers: readonly CallReader[]) {
    this.#clock = clock;
    this.#readers = readers;
  }

  begin(head: RequestHead, trace: Trace, origin: CallerOrigin): CallRecord {
    const timeMs = this.#clock.now();
    return new CallRecord({ head, trace, origin, timeMs, startedMs: this.#clock.monotonicMs() });
  }

  /** `complete`: the client has all of the answer. */
  end(record: CallRecord, bytesIn: number, complete: boolean): void {
    const facts = record.facts({ bytesIn, complete, endedMs: this.#clock.monotonicMs() });
    for (const reader of this.#readers) reader.read(facts);
  }
}
