import { hostname } from 'node:os';
import { type Clock, FnletError, type Logger, type Random } from '@fnlet/base';
import type { GatewayOptions } from '@fnlet/gateway';
import { CallSpans, parseTraceSampler, type TraceSampler } from '@fnlet/gateway/tracing';
import type { TraceTarget } from '@fnlet/invocation';
import { SpanExporter } from './span-exporter.ts';
import { fnletVersion } from './version.ts';

export interface GatewayTracingOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Has the Gateway make spans, and sends them to a collector until `stack` is disposed of. Loaded where one
 * is named.
 *
 * @throws FnletError `InvalidConfig`
 */
export function openGatewayTracing(
  {
    options: { environment, clock, random, logger },
    stack,
  }: { readonly options: GatewayTracingOptions; readonly stack: AsyncDisposableStack },
  {
    target,
    trustedProxies,
  }: {
    readonly target: TraceTarget;
    readonly trustedProxies: NonNullable<GatewayOptions['trustedProxies']>;
  },
): NonNullable<GatewayOptions['tracing']> {
  const sampler = readSampler(environment);
  const resource = {
    'service.name': target.service ?? 'fnlet-gateway',
    'service.version': fnletVersion,
    'service.instance.id': `${hostname()}:${process.pid}`,
  };
  const exporter = stack.use(new SpanExporter({ target, resource, clock, logger }));
  return new CallSpans({ random, sampler, trustedProxies, onSpan: (span) => exporter.add(span) });
}

function readSampler(environment: Readonly<Record<string, string | undefined>>): TraceSampler {
  const sampler = parseTraceSampler(environment);
  if (sampler !== undefined) return sampler;
  const { OTEL_TRACES_SAMPLER: name = '', OTEL_TRACES_SAMPLER_ARG: argument = '' } = environment;
  const expected =
    'expected always_on, always_off or traceidratio with a number from 0 to 1, and parentbased_ ' +
    'before it where callers decide';
  throw new FnletError(
    'InvalidConfig',
    `Cannot use OTEL_TRACES_SAMPLER: found "${name}" with "${argument}", ${expected}`,
  );
}
