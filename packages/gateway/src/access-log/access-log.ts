import type { CallFacts } from '../metering/call-record.ts';
import type { CallReader } from '../metering/call-records.ts';
import { clientAddress, type TrustedProxies } from '../policy/client-address.ts';
import { pathOf } from '../routing/route-answers.ts';
import type { LineWriter } from './line-sink.ts';

/** Longest path that is written down. */
const pathCharactersMax = 2048;

/**
 * Writes one line of JSON for each request that was read, when it is over. It says nothing about
 * the query and the fields of the request: secrets travel there.
 */
export class AccessLog implements CallReader {
  readonly #lines: LineWriter;
  readonly #trusted: TrustedProxies;

  constructor(lines: LineWriter, trusted: TrustedProxies) {
    this.#lines = lines;
    this.#trusted = trusted;
  }

  read(facts: CallFacts): void {
    const { head, trace, origin, startedMs, sentMs, route } = facts;
    const forwarded = head.fields.known.get('x-forwarded-for');
    const line = {
      time: new Date(facts.timeMs).toISOString(),
      client: clientAddress(origin.remoteAddress, forwarded, this.#trusted),
      method: head.method,
      host: head.host,
      path: pathOf(head).slice(0, pathCharactersMax),
      status: facts.status,
      complete: facts.complete,
      bytesIn: facts.bytesIn,
      bytesOut: facts.bytesOut,
      durationMs: rounded(facts.endedMs - startedMs),
      queueMs: between(startedMs, sentMs),
      wakeMs: rounded(facts.wokenAfterMs),
      // From the request at the Instance to the first byte of its answer.
      upstreamMs: between(sentMs, facts.firstByteMs),
      namespace: route?.namespace,
      function: route?.function,
      revision: facts.revisionId?.split('/').at(-1),
      consumer: facts.consumer === '' ? undefined : facts.consumer,
      requestId: trace.requestId,
      traceId: trace.traceparent.split('-')[1],
    };
    this.#lines.write(JSON.stringify(line));
  }
}

function between(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  return fromMs === undefined || toMs === undefined ? undefined : rounded(toMs - fromMs);
}

function rounded(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000;
}
