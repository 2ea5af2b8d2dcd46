import { join } from 'node:path';
import type { EventTracer } from '@fnlet/sdk';
import { nodeModule } from './builtins.ts';

/** The scope of Kyma's own spans, which its dashboards know. */
const scope = 'io.kyma-project.serverless';

/**
 * The tracer of the function: that of `@opentelemetry/api` as the function itself would load it, so
 * that its own exporter gets the spans; loaded when it is first used.
 */
export const kymaTracer: EventTracer = {
  startSpan: (...input) => currentTracer().startSpan(...input),
  startActiveSpan: (...input) => currentTracer().startActiveSpan(...input),
};

function currentTracer(): EventTracer {
  const require = nodeModule.createRequire(join(process.cwd(), 'handler.js'));
  const api: unknown = require('@opentelemetry/api');
  if (hasTracers(api)) return api.trace.getTracer(scope);
  throw new TypeError('Cannot trace: found another @opentelemetry/api, expected one with trace');
}

function hasTracers(
  api: unknown,
): api is { readonly trace: { getTracer(name: string): EventTracer } } {
  return typeof api === 'object' && api !== null && 'trace' in api;
}
