import { hostname } from 'node:os';
import { FnletError } from '@fnlet/base';
import type { GatewayOptions } from '@fnlet/gateway';
import { CallSpans, parseTraceSampler, type TraceSampler } from '@fnlet/gateway/tracing';
import type { TraceTarget } from '@fnlet/invocation';
import type { House } from './house.ts';
import { SpanExporter } from './span-exporter.ts';
import { fnletVersion } from './version.ts';

/**
 * Has the Gateway make spans, and sends them to a collector until the house ends. Loaded where one
 * is named.
 *
 * @throws FnletError `InvalidConfig`
 */
export function openGatewayTracing(
  { options: { environment, clock, random, logger }, stack }: House,
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
