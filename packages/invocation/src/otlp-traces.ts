/** A value of an attribute, or several. */
export type SpanValue = string | number | boolean | readonly (string | number | boolean)[];

export type SpanAttributes = Readonly<Record<string, SpanValue>>;

/** Values as OTLP counts them (`SpanKind`). */
export const spanKinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

/** Values as OTLP counts them (`Status.StatusCode`). */
export const spanStatus = { unset: 0, ok: 1, error: 2 } as const;

/** A span that has ended. Times are milliseconds since 1970, with fractions. */
export interface FinishedSpan {
  /** Whose instrumentation made it. */
  readonly scope: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly status: { readonly code: number; readonly message?: string | undefined };
}

export interface SpanEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: SpanAttributes;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: SpanAttributes;
}

/**
 * Spans of one process as a request of OTLP over HTTP (`ExportTraceServiceRequest` as JSON), which
 * every collector of OpenTelemetry takes at `/v1/traces`.
 *
 * @param resource what they come from, such as `service.name`
 */
export function formatOtlpTraces(resource: SpanAttributes, spans: readonly FinishedSpan[]): string {
  const scopes = Map.groupBy(spans, ({ scope }) => scope);
  const scopeSpans = [...scopes].map(([name, own]) => ({
    scope: { name },
    spans: own.map(spanOf),
  }));
  const resourceSpans = [{ resource: { attributes: keyValues(resource) }, scopeSpans }];
  return JSON.stringify({ resourceSpans });
}

function spanOf(span: FinishedSpan): object {
  const { traceId, spanId, parentSpanId, tracestate, name, kind, status } = span;
  return {
    ...{ traceId, spanId, parentSpanId, traceState: tracestate, name, kind, status },
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: keyValues(span.attributes),
    events: span.events.map(({ name: event, atMs, attributes }) => ({
      ...{ name: event, timeUnixNano: nanoseconds(atMs), attributes: keyValues(attributes) },
    })),
    links: span.links.map((link) => ({ ...link, attributes: keyValues(link.attributes) })),
  };
}

// 64 bits as text (ProtoJSON); a number would not hold them.
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  const rest = Math.min(999_999, Math.round((ms - whole) * 1_000_000));
  return String(BigInt(whole) * 1_000_000n + BigInt(rest));
}

function keyValues(attributes: SpanAttributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: SpanValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(anyValue) } };
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  // JSON has no other numbers, ProtoJSON has names for them.
  return { doubleValue: Number.isFinite(value) ? value : String(value) };
}
