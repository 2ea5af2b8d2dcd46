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
import {
  contentModeOf,
  type HttpHeaders,
  parseHttpEvents,
  parsePlainEvent,
} from '../../event/http-event.ts';
import { acceptedAnswer, otherMethodAnswer, toHttpHeaders } from '../../ingress/event-answers.ts';
import type { Source, SourceContext } from '../source.ts';
import { createAcceptInTime } from './accept-in-time.ts';
import type { EventEndpoints } from './event-endpoints.ts';
import { pathSubject } from './path-subject.ts';
import { serveEvents } from './serve-events.ts';
import { type SecretTrouble, SigningSecret } from './signing-secret.ts';
import { slackChallenge, webhookEvent } from './webhook-event.ts';

export interface HttpEventsOptions {
  readonly spec: HttpEvents;
  /** Which requests come here. Default: those of all paths. */
  readonly paths?: HttpSource['paths'] | undefined;
  readonly context: SourceContext;
  readonly endpoints: EventEndpoints;
}

/** `BadSignature`: the request is not signed as the Trigger asks for. */
type Refusal = FnletError<'BadSignature'>;

const idCharacters = 20;

export class HttpEventSource implements Source {
  readonly #options: HttpEventsOptions;
  readonly #accept: SourceContext['accept'];
  readonly #secret: SigningSecret | undefined;
  #routeTrouble: string | undefined;
  #secretTrouble: SecretTrouble;

  constructor(options: HttpEventsOptions) {
    const { spec, context } = options;
    this.#options = options;
    this.#accept = createAcceptInTime(context);
    this.#secret =
      spec.signature &&
      new SigningSecret(spec.signature.secret, context, (trouble) => {
        this.#secretTrouble = trouble;
        this.#report();
      });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#serve(signal), this.#secret?.run(signal)]);
  }

  #serve(signal: AbortSignal): Promise<void> {
    const { endpoints, context } = this.#options;
    const report: SourceContext['report'] = ({ trouble }) => {
      this.#routeTrouble = trouble;
      this.#report();
    };
    const id = `${context.namespace}/${context.name}`;
    const take = (request: ReceivedRequest): Promise<ResponderAnswer> =>
      request.method === 'POST' ? this.#take(request) : Promise.resolve(otherMethodAnswer(request));
    return serveEvents({ endpoints, context: { report }, id, take }, signal);
  }

  #report(): void {
    const { context } = this.#options;
    const trouble = this.#routeTrouble ?? this.#secretTrouble;
    context.report(trouble === undefined ? { connected: true } : { connected: false, trouble });
  }

  /** Rejects with what it cannot take; never throws. */
  #take(request: ReceivedRequest): Promise<ResponderAnswer> {
    try {
      const { signature, format } = this.#options.spec;
      const isPlain = signature === undefined && format !== 'webhook';
      const event = isPlain ? parsePlainEvent(request.headers, request.body) : undefined;
      if (event !== undefined) return this.#keep([event]);
      const headers = toHttpHeaders(request.headers);
      return signature === undefined
        ? this.#keep(this.#read(request, headers))
        : this.#takeSigned(request, headers, signature);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #takeSigned(
    request: ReceivedRequest,
    headers: HttpHeaders,
    signature: EventSignature,
  ): Promise<ResponderAnswer> {
    const secrets = await this.#secret?.values();
    if (secrets !== undefined) this.#judge({ headers, body: request.body }, signature, secrets);
    const challenge = signature.scheme === 'slack' ? slackChallenge(request.body) : undefined;
    if (challenge !== undefined) {
      return { status: 200, headers: [['Content-Type', 'text/plain']], body: challenge };
    }
    return this.#keep(this.#read(request, headers));
  }

  /** I1 */
  #keep(events: readonly CloudEvent[]): Promise<ResponderAnswer> {
    for (const event of events) assertKeepable(event);
    return this.#accept(events).then(() => acceptedAnswer(events));
  }

  /** I2 */
  #judge(
    request: { readonly headers: HttpHeaders; readonly body: Uint8Array },
    signature: EventSignature,
    secrets: readonly string[],
  ): void {
    const { clock } = this.#options.context;
    const { tolerance = '5m' } = signature;
    const asked = { scheme: schemeOf(signature), toleranceMs: parseDuration(tolerance) };
    const nowMs = clock.now();
    if (secrets.some((secret) => isSigned(request, { ...asked, secret }, nowMs))) return;
    throw refused('Cannot take event: its signature is missing or wrong');
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

function refused(message: string): Refusal {
  return new FnletError('BadSignature', message);
}
