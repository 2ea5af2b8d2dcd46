import type { FunctionEvent } from './event-handler.ts';

/** What a publisher answered, in the shape that axios gives it. */
export interface PublisherAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed, where it is JSON. */
  readonly data: unknown;
}

/** What `emitCloudEvent` of Kyma's events is called with. */
export type EmittedEvent = readonly [
  type: string,
  source: string,
  data?: unknown,
  /** Attributes that are not made: `eventtypeversion`, `subject`, or an `id` of one's own. */
  attributes?: Readonly<Record<string, unknown>>,
];

/** The part of OpenTelemetry's Tracer that does not depend on its types. */
export interface EventTracer {
  startSpan(...input: readonly unknown[]): unknown;
  startActiveSpan(...input: readonly unknown[]): unknown;
}

/** What a handler of a function with `spec.compatibility: kyma` is called with. */
export interface KymaEvent extends FunctionEvent {
  /** Of the SDK that the function registers, else of the Runner; nothing keeps its spans by default. */
  readonly tracer: EventTracer;
  /** Sends a CloudEvent to `PUBLISHER_PROXY_ADDRESS`; rejects from status 300 on, as axios does. */
  emitCloudEvent(...event: EmittedEvent): Promise<PublisherAnswer>;
  /** Sends a CloudEvent that is complete. Deprecated by Kyma. */
  publishCloudEvent(envelope: unknown): Promise<PublisherAnswer>;
  /** A CloudEvent in answer to the one that came. Deprecated by Kyma. */
  buildResponseCloudEvent(
    id: string,
    type: string,
    data: unknown,
  ): Readonly<Record<string, unknown>>;
}

/** The context of a handler with `spec.compatibility: kyma`. */
export interface KymaContext {
  readonly 'function-name': string;
  readonly runtime: string;
  readonly namespace: string;
  /** Seconds. */
  readonly timeout: number;
  /** Mebibytes. */
  readonly 'body-size-limit': number;
}

/** What a handler of a function with `spec.compatibility: kubeless` is called with. */
export interface KubelessEvent
  extends Pick<FunctionEvent, 'extensions' | (`ce-${string}` & keyof FunctionEvent)> {
  /** JSON parsed, otherwise text; `{}` without a body. */
  data: unknown;
  'event-id': unknown;
  'event-type': unknown;
  'event-time': unknown;
  'event-namespace': unknown;
}

/** The context of a handler with `spec.compatibility: kubeless`. */
export interface KubelessContext {
  /** The function of `spec.handler`, as Kubeless has it. */
  readonly 'function-name': string;
  /** Seconds. */
  readonly timeout: number;
  readonly runtime: string;
  readonly 'memory-limit': string | undefined;
}
