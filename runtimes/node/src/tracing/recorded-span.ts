import {
  type FinishedSpan,
  type SpanAttributes,
  type SpanEvent,
  type SpanLink,
  type SpanValue,
  spanStatus,
} from '@fnlet/invocation';
import { limits } from '../limits.ts';

/** Where a span is, as `@opentelemetry/api` has it. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** How a span begins. */
export interface SpanStart {
  readonly scope: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly tracestate?: string | undefined;
  /** Whether it is kept when it ends. */
  readonly sampled: boolean;
  readonly startMs: number;
  readonly onEnd: (span: FinishedSpan) => void;
}

/**
 * A span that code adds to until it ends: the `Span` of `@opentelemetry/api` by its shape. It takes
 * what code gives it and never throws; after its end it takes nothing more.
 */
export class RecordedSpan {
  readonly #start: SpanStart;
  readonly #attributes = new Map<string, SpanValue>();
  readonly #events: SpanEvent[] = [];
  readonly #links: SpanLink[] = [];
  #name: string;
  #status: FinishedSpan['status'] = { code: spanStatus.unset };
  #isOver = false;

  constructor(start: SpanStart) {
    this.#start = start;
    this.#name = start.name;
  }

  spanContext(): SpanContext {
    const { traceId, spanId, sampled } = this.#start;
    return { traceId, spanId, traceFlags: sampled ? 1 : 0 };
  }

  isRecording(): boolean {
    return this.#start.sampled && !this.#isOver;
  }

  setAttribute(key: string, value: unknown): this {
    const isKnown = this.#attributes.has(key);
    if (!this.isRecording() || (!isKnown && this.#attributes.size >= limits.spanPartsMax)) {
      return this;
    }
    const read = readValue(value);
    if (read !== undefined) this.#attributes.set(key, read);
    return this;
  }

  setAttributes(attributes: unknown): this {
    for (const [key, value] of Object.entries(Object(attributes))) this.setAttribute(key, value);
    return this;
  }

  /** `(name)`, `(name, time)`, `(name, attributes)` or `(name, attributes, time)` */
  addEvent(name: string, ...more: readonly unknown[]): this {
    if (!this.isRecording() || this.#events.length >= limits.spanPartsMax) return this;
    const times = more.filter(isTime);
    const [attributes] = more.filter((each) => !isTime(each));
    this.#events.push({ name, atMs: readTime(times[0]), attributes: readAttributes(attributes) });
    return this;
  }

  addLink(link: unknown): this {
    const read = readLink(link);
    if (read !== undefined && this.isRecording() && this.#links.length < limits.spanPartsMax) {
      this.#links.push(read);
    }
    return this;
  }

  addLinks(links: unknown): this {
    for (const link of Array.isArray(links) ? links : []) this.addLink(link);
    return this;
  }

  setStatus(status: unknown): this {
    const { code, message } = readStatus(status);
    // What was said to be well stays so.
    if (this.isRecording() && this.#status.code !== spanStatus.ok) this.#status = { code, message };
    return this;
  }

  updateName(name: string): this {
    if (this.isRecording()) this.#name = name;
    return this;
  }

  recordException(thrown: unknown, time?: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const named = {
      'exception.type': error.name,
      'exception.message': error.message,
      'exception.stacktrace': error.stack,
    };
    this.addEvent('exception', named, time);
  }

  end(time?: unknown): void {
    if (this.#isOver) return;
    const { onEnd, sampled, ...start } = this.#start;
    this.#isOver = true;
    if (!sampled) return;
    onEnd({
      ...start,
      name: this.#name,
      endMs: Math.max(start.startMs, readTime(time)),
      attributes: Object.fromEntries(this.#attributes),
      events: this.#events,
      links: this.#links,
      status: this.#status,
    });
  }
}

/** What code gives as attributes, without what is none. */
function readAttributes(given: unknown): SpanAttributes {
  const entries = Object.entries(Object(given)).slice(0, limits.spanPartsMax);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const read = readValue(value);
      return read === undefined ? [] : [[key, read]];
    }),
  );
}

function readValue(value: unknown): SpanValue | undefined {
  if (typeof value === 'string') return value.slice(0, limits.spanTextMax);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, limits.spanPartsMax).filter(isPlain);
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

// A moment as OpenTelemetry takes it: a Date, milliseconds, or seconds and nanoseconds.
function isTime(value: unknown): boolean {
  return typeof value === 'number' || value instanceof Date || Array.isArray(value);
}

/** The moment that code names; now, when it names none. */
export function readTime(given?: unknown): number {
  const nowMs = performance.timeOrigin + performance.now();
  if (given instanceof Date) return given.getTime();
  if (Array.isArray(given)) return Number(given[0]) * 1000 + Number(given[1]) / 1_000_000;
  if (typeof given !== 'number' || !Number.isFinite(given)) return nowMs;
  // What performance.now() gives counts from the start of the process.
  return given < performance.timeOrigin ? performance.timeOrigin + given : given;
}

function readLink(link: unknown): SpanLink | undefined {
  const { context, attributes }: { context?: unknown; attributes?: unknown } = Object(link);
  if (!isSpanContext(context)) return undefined;
  const { traceId, spanId } = context;
  return { traceId, spanId, attributes: readAttributes(attributes) };
}

/** Whether this is where a span is. */
export function isSpanContext(value: unknown): value is SpanContext {
  const { traceId, spanId }: { traceId?: unknown; spanId?: unknown } = Object(value);
  return typeof traceId === 'string' && typeof spanId === 'string' && !/^0*$/.test(traceId);
}

function readStatus(status: unknown): FinishedSpan['status'] {
  const { code, message }: { code?: unknown; message?: unknown } = Object(status);
  const known = code === spanStatus.ok || code === spanStatus.error ? code : spanStatus.unset;
  return { code: known, ...(typeof message === 'string' ? { message } : {}) };
}
