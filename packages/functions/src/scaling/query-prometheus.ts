import type { PrometheusMetric } from '@fnlet/api';
import { isJsonObject } from '@fnlet/base';
import { FunctionsError } from '../functions-error.ts';
import { limits } from '../limits.ts';

/** Fetches a text over HTTP; rejects for any other answer than 200, and for one that is too long. */
export type FetchText = (
  url: string,
  bounds: { readonly bytesMax: number; readonly signal: AbortSignal },
) => Promise<string>;

/**
 * Asks a Prometheus server for one number: the value of a scalar, or of all series of an instant
 * vector together (prometheus.io, "HTTP API": `/api/v1/query`).
 *
 * @throws FunctionsError `MetricUnavailable`
 */
export async function queryPrometheus(
  { url, query }: Pick<PrometheusMetric, 'url' | 'query'>,
  fetchText: FetchText,
  signal: AbortSignal,
): Promise<number> {
  const address = `${url.replace(/\/+$/, '')}/api/v1/query?query=${encodeURIComponent(query)}`;
  const text = await fetchText(address, { bytesMax: limits.metricBytesMax, signal });
  const value = readAnswer(text);
  if (typeof value === 'number') return value;
  const message = `Cannot read metric "${query}" from ${url}: found ${value}, expected a number`;
  throw new FunctionsError('MetricUnavailable', message, { retry: 'later' });
}

/** The number, or what was found in place of one. */
function readAnswer(text: string): number | string {
  const answer = parseJson(text);
  if (!isJsonObject(answer)) return 'an answer that is no JSON';
  if (answer.status !== 'success') return `an error: ${String(answer.error ?? 'unknown')}`;
  const { resultType, result } = isJsonObject(answer.data) ? answer.data : {};
  if (!Array.isArray(result)) return 'an answer without a result';
  if (resultType === 'scalar') return readSample(result) ?? 'no number';
  if (resultType !== 'vector') return `a ${String(resultType)}`;
  if (result.length === 0) return 'no series';
  let sum = 0;
  for (const series of result) {
    const value = isJsonObject(series) ? readSample(series.value) : undefined;
    if (value === undefined) return 'a series without a number';
    sum += value;
  }
  return sum;
}

/** A sample is its time and, as a text, its value; NaN and Inf are no numbers to scale by. */
function readSample(sample: unknown): number | undefined {
  if (!Array.isArray(sample) || typeof sample[1] !== 'string') return undefined;
  const value = Number(sample[1]);
  return Number.isFinite(value) ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
