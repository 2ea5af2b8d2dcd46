import { join } from 'node:path';
import { nodeModule } from '../builtins.ts';
import type { SpanMaker } from './span-maker.ts';
import type { TraceScope } from './trace-scope.ts';

/** What takes the part of an SDK of OpenTelemetry. */
export interface TracingParts {
  readonly provider: { getTracer(name?: unknown): SpanMaker };
  readonly current: TraceScope;
}

// Where all copies of `@opentelemetry/api` of one major version keep what was registered.
const slot = Symbol.for('opentelemetry.js.api.1');

/**
 * Registers the Runner's tracing with the `@opentelemetry/api` of the function, unless its code has
 * registered an SDK of its own meanwhile: then the spans of the code are that one's. A function
 * without the package has it in the place where a bundled copy, and `event.tracer`, look.
 */
export function registerTracing({ provider, current }: TracingParts): void {
  const api = loadApi();
  if (api === undefined) {
    if (Reflect.get(globalThis, slot) !== undefined) return;
    // Any minor version takes what says of itself that it is newer.
    const registered = { version: '1.999.0', trace: provider, context: current };
    Object.defineProperty(globalThis, slot, { value: registered, writable: true });
    return;
  }
  if (api.trace.setGlobalTracerProvider(provider)) api.context.setGlobalContextManager(current);
}

interface TraceApi {
  readonly trace: { setGlobalTracerProvider(provider: unknown): boolean };
  readonly context: { setGlobalContextManager(manager: unknown): boolean };
}

function loadApi(): TraceApi | undefined {
  try {
    const require = nodeModule.createRequire(join(process.cwd(), 'handler.js'));
    const api: unknown = require('@opentelemetry/api');
    return isTraceApi(api) ? api : undefined;
  } catch {
    // It is not installed.
    return undefined;
  }
}

function isTraceApi(api: unknown): api is TraceApi {
  const { trace, context }: { trace?: unknown; context?: unknown } = Object(api);
  return (
    hasMethod(trace, 'setGlobalTracerProvider') && hasMethod(context, 'setGlobalContextManager')
  );
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof Reflect.get(Object(value), name) === 'function';
}
