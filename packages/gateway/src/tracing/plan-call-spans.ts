import { type FinishedSpan, type SpanAttributes, spanKinds, spanStatus } from '@fnlet/invocation';
import type { CallFacts } from '../metering/call-record.ts';
import { type ColdStartPhase, splitColdStart } from '../metering/cold-start.ts';
import { fieldValues } from '../policy/field-changes.ts';
import { pathOf } from '../routing/route-answers.ts';
import type { SpanPosition } from '../trace.ts';

/** Whose instrumentation the spans are. */
const scope = 'fnlet-gateway';

/** What a cold start was before its Instance had the call, whose Runner tells the rest. */
const wakePhases: readonly ColdStartPhase[] = ['queue', 'acquire', 'load'];

export interface CallSpansQuestion {
  readonly facts: CallFacts;
  /** Where the span of the request is. */
  readonly span: SpanPosition;
  readonly clientAddress: string;
  /** Names another span. */
  readonly newSpanId: () => string;
}

/**
 * The spans of a request that is over, with the attributes that OpenTelemetry's conventions for HTTP
 * and FaaS name: one for all of it, and below it one for each phase of a cold start.
 */
export function planCallSpans(question: CallSpansQuestion): readonly FinishedSpan[] {
  const { facts, span } = question;
  const { head, route, retriesMs, startedMs, endedMs } = facts;
  const called = route === undefined ? '' : ` ${route.namespace}/${route.function}`;
  const whole: FinishedSpan = {
    scope,
    ...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentSpanId },
    name: `${head.method}${called}`,
    kind: spanKinds.server,
    startMs: wallTime(facts, startedMs),
    endMs: wallTime(facts, endedMs),
    attributes: planAttributes(question),
    events: retriesMs.map((atMs, index) => ({
      name: 'retry',
      atMs: wallTime(facts, atMs),
      attributes: { 'http.request.resend_count': index + 1 },
    })),
    links: [],
    status: planStatus(facts),
  };
  return [whole, ...planPhases(question)];
}

/** The moment by the wall clock. */
function wallTime({ timeMs, startedMs }: CallFacts, monotonicMs: number): number {
  return timeMs + (monotonicMs - startedMs);
}

function planAttributes({ facts, clientAddress }: CallSpansQuestion): SpanAttributes {
  const { head, origin, route, status, revisionId, retriesMs } = facts;
  const [agent] = fieldValues(head.fields, 'user-agent');
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(head.host) ?? [];
  const error = errorType(facts);
  return {
    'http.request.method': head.method,
    // Neither the query nor the fields of the request: secrets travel there.
    'url.path': pathOf(head),
    'url.scheme': origin.scheme,
    ...(host === '' ? {} : { 'server.address': host }),
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
    'client.address': clientAddress,
    ...(agent === undefined ? {} : { 'user_agent.original': agent }),
    ...(status === undefined ? {} : { 'http.response.status_code': status }),
    ...(retriesMs.length === 0 ? {} : { 'http.request.resend_count': retriesMs.length }),
    ...(error === undefined ? {} : { 'error.type': error }),
    'faas.invocation_id': facts.trace.requestId,
    ...(route === undefined
      ? {}
      : {
          'faas.trigger': 'http',
          'faas.name': `${route.namespace}/${route.function}`,
          'faas.version': revisionId?.split('/').at(-1) ?? '',
          'faas.coldstart': facts.wokenAfterMs !== undefined,
          'k8s.namespace.name': route.namespace,
        }),
  };
}

function errorType({ status, complete }: CallFacts): string | undefined {
  if (status !== undefined && status >= 500) return String(status);
  return complete ? undefined : 'incomplete';
}

// What is the client's mistake is no error of the server (conventions for HTTP spans, "Status").
function planStatus(facts: CallFacts): FinishedSpan['status'] {
  const { status, complete } = facts;
  if (errorType(facts) === undefined) return { code: spanStatus.unset };
  if (complete || status === undefined) return { code: spanStatus.error };
  return { code: spanStatus.error, message: 'The client does not have all of the answer' };
}

function planPhases({ facts, span, newSpanId }: CallSpansQuestion): readonly FinishedSpan[] {
  const { wake } = facts;
  if (wake === undefined) return [];
  const took = splitColdStart(wake);
  let fromMs = wake.arrivedMs;
  return wakePhases.flatMap((name): FinishedSpan[] => {
    const startMs = wallTime(facts, fromMs);
    fromMs += took[name];
    if (took[name] === 0) return [];
    return [
      {
        scope,
        ...{ traceId: span.traceId, spanId: newSpanId(), parentSpanId: span.spanId },
        name,
        kind: spanKinds.internal,
        startMs,
        endMs: wallTime(facts, fromMs),
        attributes: {},
        events: [],
        links: [],
        status: { code: spanStatus.unset },
      },
    ];
  });
}
