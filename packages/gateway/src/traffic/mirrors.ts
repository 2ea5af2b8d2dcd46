/**
 * Copies of calls, sent to another Revision, whose answers nobody waits for.
 *
 * I1. A copy is sent once all of its request is here, and so never delays the call itself; what
 *     becomes of it is counted and otherwise forgotten.
 * I2. At most `mirroredMax` copies are being made or answered, each of `mirroredBytesMax` at most;
 *     a call beyond that has none.
 */
import type { Random } from '@fnlet/base';
import type { Call } from '../call.ts';
import type { DeadlineSweep } from '../deadline-sweep.ts';
import { Exchange, type ExchangeContext } from '../exchange.ts';
import { withFieldChanges } from '../policy/field-changes.ts';
import { isIdempotent } from '../retry.ts';
import type { RouteMirror } from '../route.ts';
import { type CopiedClient, MirrorClient } from './mirror-client.ts';

/** By which a function knows a copy; what a client sends under that name is never passed on. */
const mark = 'X-Fnlet-Mirror';
const nothing: ReadonlySet<string> = new Set();

/** What became of copies; grows only. */
export interface MirrorCounts {
  readonly sent: number;
  /** Not made though they were due: too many were under way, or the body was too large. */
  readonly skipped: number;
  /** Answered with 500 or more, or not at all. */
  readonly failed: number;
}

export class Mirrors {
  readonly #context: ExchangeContext;
  readonly #random: Random;
  readonly #sweep: DeadlineSweep;
  readonly #clients = new Set<MirrorClient>();
  /** Copies whose bodies are still coming. */
  #open = 0;
  #sent = 0;
  #skipped = 0;
  #failed = 0;

  constructor(context: ExchangeContext, random: Random, sweep: DeadlineSweep) {
    this.#context = context;
    this.#random = random;
    this.#sweep = sweep;
  }

  /** A copy of this call, to be filled with its body, if one is due. */
  begin(call: Call, mirror: RouteMirror, caller: CopiedClient): MirrorCopy | undefined {
    const { head } = call;
    const { mirroredMax, mirroredBytesMax } = this.#context.limits;
    const isMeant = mirror.nonIdempotent || isIdempotent(head.method);
    if (!isMeant || head.upgrade !== undefined) return undefined;
    if (this.#random.next() * 100 >= mirror.percent) return undefined;
    const isTooMany = this.#open + this.#clients.size >= mirroredMax;
    if (isTooMany || head.framing.contentLength > mirroredBytesMax) {
      this.#skipped++;
      return undefined;
    }
    this.#open++;
    return new MirrorCopy(call, mirroredBytesMax, (body) => {
      this.#open--;
      if (body === undefined) this.#skipped++;
      else this.#send(call, { mirror, body, caller });
    });
  }

  counts(): MirrorCounts {
    return { sent: this.#sent, skipped: this.#skipped, failed: this.#failed };
  }

  close(): void {
    for (const client of this.#clients) client.onDeadline();
  }

  #send(
    call: Call,
    copy: { readonly mirror: RouteMirror; readonly body: Buffer; readonly caller: CopiedClient },
  ): void {
    const { mirror, body, caller } = copy;
    const { route } = mirror;
    const { revision: revisionId } = route;
    if (revisionId === undefined) return;
    const arrivedMs = this.#context.monotonicMs();
    const client = new MirrorClient(caller, {
      cutMs: arrivedMs + route.wakeMs + 2 * route.timeoutMs,
      onOver: (failed) => {
        this.#clients.delete(client);
        this.#sweep.unwatch(client);
        if (failed) this.#failed++;
      },
    });
    this.#sent++;
    this.#clients.add(client);
    this.#sweep.watch(client);
    const { head, target, trace } = call;
    const marked = withFieldChanges(head, { remove: nothing, add: [[mark, 'true']] });
    const all = { done: true, contentBytes: body.length, advance: (_: Buffer, at: number) => at };
    const share = { meter: client, answerFields: '', mirror: undefined };
    const place = { route, revisionId, target, share };
    const copied = { head: marked, body: all, trace, arrivedMs, pass: undefined, ...place };
    client.begin(new Exchange(copied, client, this.#context), body);
  }
}

/** The request of a copy, collected while it passes by. */
export class MirrorCopy {
  readonly #call: Call;
  readonly #bytesMax: number;
  readonly #onEnd: (body: Buffer | undefined) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #over = false;

  /** `onEnd`: once, with all of the body, or without when there will be no copy. */
  constructor(call: Call, bytesMax: number, onEnd: (body: Buffer | undefined) => void) {
    this.#call = call;
    this.#bytesMax = bytesMax;
    this.#onEnd = onEnd;
  }

  /** The next bytes of the body, with their framing. */
  add(chunk: Buffer, from: number, to: number): void {
    if (this.#over) return;
    this.#bytes += to - from;
    if (this.#bytes > this.#bytesMax) {
      this.abandon();
      return;
    }
    // What is read into is read into again.
    if (to > from) this.#chunks.push(Buffer.from(chunk.subarray(from, to)));
    if (this.#call.body.done) this.#end(Buffer.concat(this.#chunks));
  }

  /** No more of it will come. */
  abandon(): void {
    if (!this.#over) this.#end(undefined);
  }

  #end(body: Buffer | undefined): void {
    this.#over = true;
    this.#onEnd(body);
  }
}
