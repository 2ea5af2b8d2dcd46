/**
 * One request that is answered within this process: collects its body, hands it to the responder,
 * and writes what that answers.
 *
 * I1. The client gets exactly one answer, or its connection is cut.
 * I2. What is held of bodies, here and by the others, stays within the budget.
 */
import { errorMessage } from '@fnlet/base';
import type { HeaderField } from '@fnlet/invocation';
import type { Answer } from '../answer.ts';
import type { CallClient, ClientCall } from '../client-call.ts';
import { type Body, requestBody } from '../http1/body.ts';
import type { RequestHead } from '../http1/request-head.ts';
import type { GatewayLimits } from '../limits.ts';
import { appendPart, copyPart, type Part } from '../part.ts';
import { type FieldChanges, foldName } from '../policy/field-changes.ts';
import type { Pass } from '../policy/route-policy.ts';
import type { Trace } from '../trace.ts';
import type { ByteBudget } from './byte-budget.ts';
import { formatHeaderFields, readHeaderFields } from './header-fields.ts';
import type { ReceivedRequest, Responder, ResponderAnswer } from './responder.ts';

/** A request whose head was read, and who answers it. */
export interface ReceptionRequest {
  readonly head: RequestHead;
  readonly trace: Trace;
  /** How the policy of its route let it through; `head` is changed already. */
  readonly pass: Pass | undefined;
  readonly responder: Responder;
  readonly call: ReceivedRequest['call'];
  readonly target: string;
}

export interface ReceptionContext {
  readonly limits: GatewayLimits;
  readonly budget: ByteBudget;
  readonly monotonicMs: () => number;
  readonly closing: () => boolean;
}

export class Reception implements ClientCall {
  readonly tunnelling = false;
  readonly #request: ReceptionRequest;
  readonly #client: CallClient;
  readonly #context: ReceptionContext;
  readonly #body: Body;
  readonly #chunks: Buffer[] = [];
  #heldBytes = 0;
  #gone: AbortController | undefined;
  #over = false;

  constructor(request: ReceptionRequest, client: CallClient, context: ReceptionContext) {
    this.#request = request;
    this.#client = client;
    this.#context = context;
    this.#body = requestBody(request.head.framing);
  }

  begin(chunk: Buffer, from: number, to: number): void {
    const { head } = this.#request;
    const { limits, monotonicMs } = this.#context;
    this.#client.setDeadline(monotonicMs() + limits.receptionMs);
    this.#take(chunk.subarray(from, to));
    if (head.expectsContinue && !this.#over && !this.#body.done) {
      this.#client.write('HTTP/1.1 100 Continue\r\n\r\n');
    }
  }

  onClientData(chunk: Buffer): void {
    this.#take(chunk);
  }

  onBrokenBody(): void {
    const message = 'Cannot read the request body: a chunk is broken';
    this.#refuse({ status: 400, code: 'BadRequest', message });
  }

  onClientDrain(): void {}

  onClientGone(): void {
    this.#end();
    // Not after an answer: to abort takes longer than to answer.
    this.#gone?.abort();
  }

  onDeadline(): void {
    const what = this.#body.done ? 'was not answered' : 'did not arrive';
    const status = this.#body.done ? 504 : 408;
    this.#refuse({ status, code: 'CallTimeout', message: `The request ${what} in time` });
    this.#gone?.abort();
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    const { responder, head, pass } = this.#request;
    const bytesMax = Math.min(
      responder.bodyBytesMax,
      pass?.bodyBytesMax ?? Number.POSITIVE_INFINITY,
    );
    this.#body.advance(chunk, 0, (from, to) => this.#keep(chunk, from, to));
    const bytes = Math.max(head.framing.contentLength, this.#body.contentBytes);
    if (bytes > bytesMax) {
      const message = `The request body is larger than ${bytesMax} bytes`;
      this.#refuse({ status: 413, code: 'BodyTooLarge', message });
    } else if (this.#heldBytes < this.#body.contentBytes) {
      const message = 'Too many request bodies are being read already';
      this.#refuse({ status: 503, code: 'QueueFull', message, retryAfterSeconds: 1 });
    } else if (this.#body.done) {
      this.#respond();
    }
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    // What all sockets are read into is written over by the next.
    if (!this.#context.budget.take(to - from)) return;
    this.#heldBytes += to - from;
    this.#chunks.push(Buffer.from(chunk.subarray(from, to)));
  }

  #respond(): void {
    try {
      const request = this.#received();
      const answering = this.#request.responder.respondSoon?.(request) ?? this.#heed(request);
      answering.then(this.#onAnswer, this.#onFailure);
    } catch (error) {
      this.#onFailure(error);
    }
  }

  readonly #onAnswer = (answer: ResponderAnswer): void => {
    try {
      if (!this.#over) this.#answer(answer);
    } catch (error) {
      this.#onFailure(error);
    }
  };

  readonly #onFailure = (error: unknown): void => {
    const message = `The request could not be answered: ${errorMessage(error)}`;
    this.#refuse({ status: 500, code: 'InternalError', message });
  };

  #heed(request: ReceivedRequest): Promise<ResponderAnswer> {
    this.#gone = new AbortController();
    return this.#request.responder.respond(request, this.#gone.signal);
  }

  #received(): ReceivedRequest {
    const { call, head, target } = this.#request;
    const first = this.#chunks[0];
    const isWhole = first !== undefined && this.#chunks.length === 1;
    const body = isWhole ? first : Buffer.concat(this.#chunks);
    return {
      call,
      method: head.method,
      target,
      headers: receivedFields(this.#request, this.#client.scheme),
      body,
      remoteAddress: this.#client.remoteAddress,
    };
  }

  #answer({ status, headers, body }: ResponderAnswer): void {
    const { head, trace, pass } = this.#request;
    const content = contentPart(body);
    const keepAlive = head.keepAlive && !this.#context.closing();
    const fields = formatHeaderFields(changeFields(headers, pass?.answer));
    if (fields === undefined) throw new Error('the answer holds a header that is none');
    this.#end();
    // What follows is our own, and is a field without being looked at.
    const length = status === 204 ? '' : `Content-Length: ${content.length}\r\n`;
    const connection =
      keepAlive && head.version === '1.1'
        ? ''
        : `Connection: ${keepAlive ? 'keep-alive' : 'close'}\r\n`;
    const own = `${length}X-Request-Id: ${trace.requestId}\r\n${connection}`;
    const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`;
    const parts: Part[] = [`${line}\r\n${fields}${own}\r\n`];
    if (head.method !== 'HEAD') appendPart(parts, content);
    for (const part of parts) this.#client.write(part);
    this.#client.finish(keepAlive, this.#context.monotonicMs());
  }

  #refuse(answer: Answer): void {
    if (this.#over) return;
    this.#end();
    this.#client.answer(answer);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#context.budget.give(this.#heldBytes);
  }
}

// Not by import: that would load an HTTP client, too (decision 015).
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** A body as it is written: a text of ASCII, as most are, needs no bytes of its own. */
function contentPart(body: string | Uint8Array): Part {
  if (typeof body === 'string' && Buffer.byteLength(body) === body.length) return body;
  const bytes = Buffer.from(body);
  return copyPart(bytes, 0, bytes.length);
}

/** What was sent, and what only the Gateway knows about how it was. */
function receivedFields({ head, trace }: ReceptionRequest, scheme: string): readonly HeaderField[] {
  const { kept, known } = head.fields;
  const before = known.get('x-forwarded-for');
  const read = readHeaderFields(kept);
  const fields = known.has('expect')
    ? read.filter(([name]) => name.toLowerCase() !== 'expect')
    : read;
  if (before !== undefined) fields.push(['x-forwarded-for', before]);
  if (trace.tracestate !== undefined) fields.push(['tracestate', trace.tracestate]);
  fields.push(
    ['x-forwarded-proto', known.get('x-forwarded-proto') ?? scheme],
    ['x-forwarded-host', known.get('x-forwarded-host') ?? head.host],
    ['traceparent', trace.traceparent],
    ['x-request-id', trace.requestId],
  );
  return fields;
}

/** The fields of an answer as the policy wants them. */
function changeFields(
  fields: readonly HeaderField[],
  changes: FieldChanges | undefined,
): readonly HeaderField[] {
  if (changes === undefined) return fields;
  return [...fields.filter(([name]) => !changes.remove.has(foldName(name))), ...changes.add];
}
