import type { Compatibility } from './specialisation.ts';

/** Where spans are sent. */
export interface TraceTarget {
  /** Takes OTLP over HTTP, as JSON. */
  readonly url: string;
  /** Headers of each request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the service is called there, where somebody chose a name. */
  readonly service: string | undefined;
}

/**
 * Where the telemetry module of a cluster with Kyma answers. Functions for Kyma are always told so,
 * whether it is there or not: what merely repeats it asks for nothing.
 */
export const kymaTraceCollector: string =
  'http://telemetry-otlp-traces.kyma-system.svc.cluster.local:4318/v1/traces';

/**
 * Reads from variables where spans go, as OpenTelemetry names them (OTLP Exporter Configuration),
 * for Kyma also as Kyma does. `undefined`: nobody wants any.
 */
export function decideTraceTarget(
  env: Readonly<Record<string, string | undefined>>,
  compatibility?: Compatibility,
): TraceTarget | undefined {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const shared = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const kyma = compatibility === 'kyma' ? env.TRACE_COLLECTOR_ENDPOINT : undefined;
  const url =
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
    (shared === undefined ? undefined : `${shared.replace(/\/$/, '')}/v1/traces`) ??
    (kyma === kymaTraceCollector ? undefined : kyma);
  if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return undefined;
  const headers = env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? '';
  return { url, headers: readHeaders(headers), service: env.OTEL_SERVICE_NAME };
}

// `name=value,other=value`, as W3C Baggage has it; values are percent-encoded.
function readHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === '' ? [] : [[name.trim(), decode(value.join('=').trim())]];
  });
  return Object.fromEntries(pairs);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
