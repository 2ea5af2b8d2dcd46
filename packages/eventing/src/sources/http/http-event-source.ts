/**
 * Events that come as requests of a route.
 *
 * I1. 202 is answered when all events of a request are durable, and not before.
 * I2. Where a signature is asked for, nothing is taken without it, whatever its form; without the
 *     secret nobody gets in.
 */
import type { EventSignature, HttpEvents, HttpSource } from '@fnlet/api';
import { FnletError, parseDuration, randomName } from '@fnlet/base';
import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import { isSigned, type SignatureScheme } from '@fnlet/gateway/webhooks';
import { toKubeMicroTime } from '@fnlet/machinery';
import type { CloudEvent } from '../../event/cloud-event.ts';
import { assertKeepable } from '../../event/event-entry.ts';
import { EventError } from '../../event/event-error.ts';
import { contentModeOf, type HttpHeaders, parseHttpEvents } from '../../event/http-event.ts';
import { acceptedAnswer, otherMethodAnswer, toHttpHeaders } from '../../ingress/event-answers.ts';
import type { Source, SourceContext } from '../source.ts';
import { createAcceptInTime } from './accept-in-time.ts';
import type { EventEndpoints } from './event-endpoints.ts';
import { httpEventLimits } from './limits.ts';
import { pathSubject } from './path-subject.ts';
import { serveEvents } from './serve-events.ts';
import { slackChallenge, webhookEvent } from './webhook-event.ts';

export interface HttpEventsOptions {
  readonly spec: HttpEvents;
  /** Which requests come here. Default: those of all paths. */
  readonly paths?: HttpSource['paths'] | undefined;
  readonly context: SourceContext;
  readonly endpoints: EventEndpoints;
}

/**
 * - `BadSignature`: the request is not signed as the Trigger asks for.
 * - `NotReady`: what it takes to judge or to keep events is not there, for now.
 */
type Refusal = FnletError<'BadSignature' | 'NotReady'>;

interface KnownSecret {
  readonly value: string | undefined;
  readonly readMs: number;
}

const idCharacters = 20;

export class HttpEventSource implements Source {
  readonly #options: HttpEventsOptions;
  readonly #accept: SourceContext['accept'];
  #secret: KnownSecret | undefined;

  constructor(options: HttpEventsOptions) {
    this.#options = options;
    this.#accept = createAcceptInTime(options.context);
  }

  run(signal: AbortSignal): Promise<void> {
    const { endpoints, context } = this.#options;
    const id = `${context.namespace}/${context.name}`;
    const take = async (request: ReceivedRequest): Promise<ResponderAnswer> =>
      request.method === 'POST'
        ? this.#take(request, toHttpHeaders(request.headers))
        : otherMethodAnswer(request);
    return serveEvents({ endpoints, context, id, take }, signal);
  }

  async #take(request: ReceivedRequest, headers: HttpHeaders): Promise<ResponderAnswer> {
    const { spec } = this.#options;
    const { signature } = spec;
    if (signature !== undefined) await this.#judge({ headers, body: request.body }, signature);
    const challenge = signature?.scheme === 'slack' ? slackChallenge(request.body) : undefined;
    if (challenge !== undefined) {
      return { status: 200, headers: [['Content-Type', 'text/plain']], body: challenge };
    }
    const events = this.#read(request, headers);
    for (const event of events) assertKeepable(event);
    await this.#accept(events);
    return acceptedAnswer(events);
  }

  /** I2 */
  async #judge(
    request: { readonly headers: HttpHeaders; readonly body: Uint8Array },
    signature: EventSignature,
  ): Promise<void> {
    const { clock } = this.#options.context;
    const secret = await this.#readSecret(signature);
    const { tolerance = '5m' } = signature;
    const asked = { scheme: schemeOf(signature), secret, toleranceMs: parseDuration(tolerance) };
    if (isSigned(request, asked, clock.now())) return;
    throw refused('BadSignature', 'Cannot take event: its signature is missing or wrong');
  }

  async #readSecret({ secret: { name, key } }: EventSignature): Promise<string> {
    const { clock, secret: read } = this.#options.context;
    const nowMs = clock.monotonicMs();
    if (this.#secret === undefined || nowMs - this.#secret.readMs > httpEventLimits.secretMs) {
      this.#secret = { value: await read(name, key), readMs: nowMs };
    }
    const { value } = this.#secret;
    if (value !== undefined && value !== '') return value;
    throw refused('NotReady', `Cannot take event: Secret "${name}" has no "${key}" to judge it by`);
  }

  #read({ target, body }: ReceivedRequest, headers: HttpHeaders): readonly CloudEvent[] {
    const { spec, paths, context } = this.#options;
    const isCloudEvent = contentModeOf(headers) !== undefined;
    if (spec.format === 'cloudevents' && !isCloudEvent) {
      throw new EventError(
        'UnsupportedFormat',
        'Cannot read event: found no CloudEvent, expected headers ce-… or a body of type ' +
          'application/cloudevents+json',
      );
    }
    if (spec.format !== 'webhook' && isCloudEvent) {
      return parseHttpEvents(headers, body);
    }
    const { namespace, name, clock, random } = context;
    const { webhook = {} } = spec;
    return [
      webhookEvent({ headers, body }, webhook, {
        subject: webhook.subject === 'path' ? pathSubject(target, paths) : undefined,
        scheme: spec.signature?.scheme,
        source: `/apis/fnlet.dev/v1alpha1/namespaces/${namespace}/triggers/${name}`,
        id: randomName(random, idCharacters),
        time: toKubeMicroTime(clock.now()),
      }),
    ];
  }
}

function schemeOf(signature: EventSignature): SignatureScheme {
  const { scheme, header = '', algorithm = 'sha256', encoding = 'hex', prefix = '' } = signature;
  if (scheme !== 'hmac') return { kind: scheme };
  return { kind: scheme, header: header.toLowerCase(), algorithm, encoding, prefix };
}

function refused(code: Refusal['code'], message: string): Refusal {
  return new FnletError(code, message);
}
