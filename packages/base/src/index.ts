export { type BackoffOptions, backoffDelayMs } from './backoff.ts';
export { BoundedChannel } from './channel.ts';
export { type Clock, sleep, systemClock, type Timer } from './clock.ts';
export { sha256 } from './digest.ts';
export { parseDuration, tryParseDuration, tryParseIsoDuration } from './duration.ts';
export {
  assert,
  errorMessage,
  FnletError,
  type FnletErrorOptions,
  hasCode,
  type Retry,
  unreachable,
} from './errors.ts';
export { Histogram } from './histogram.ts';
export { canonicalJson, deepFreeze, isJsonObject, type JsonObject, jsonEqual } from './json.ts';
export { LoadMeter, type LoadMeterOptions } from './load-meter.ts';
export { type Logger, silentLogger } from './logger.ts';
export {
  formatMetrics,
  type MetricFamily,
  type MetricSample,
  prometheusContentType,
} from './prometheus-text.ts';
export { type Random, randomInt, randomName, seededRandom, systemRandom } from './random.ts';
export { parseRetryAfter } from './retry-after.ts';
export { VirtualClock } from './virtual-clock.ts';
