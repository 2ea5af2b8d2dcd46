import type { Clock } from '@fnlet/base';
import type { RequestHead } from '../http1/request-head.ts';
import { clientAddress, type TrustedProxies } from '../policy/client-address.ts';
import type { Trace } from '../trace.ts';
import { CallRecord } from './call-record.ts';
import type { LineWriter } from './line-sink.ts';

/** Writes one line of JSON for each request that was read, when it is over. */
export class AccessLog {
  readonly #lines: LineWriter;
  readonly #clock: Clock;
  readonly #trusted: TrustedProxies;

  constructor(lines: LineWriter, clock: Clock, trusted: TrustedProxies) {
    this.#lines = lines;
    this.#clock = clock;
    this.#trusted = trusted;
  }

  begin(head: RequestHead, trace: Trace, remoteAddress: string): CallRecord {
    const forwarded = head.fields.known.get('x-forwarded-for');
    return new CallRecord({
      head,
      trace,
      client: clientAddress(remoteAddress, forwarded, this.#trusted),
      timeMs: this.#clock.now(),
      startedMs: this.#clock.monotonicMs(),
    });
  }

  /** `complete`: the client has all of the answer. */
  end(record: CallRecord, bytesIn: number, complete: boolean): void {
    this.#lines.write(record.format(bytesIn, this.#clock.monotonicMs(), complete));
  }
}
