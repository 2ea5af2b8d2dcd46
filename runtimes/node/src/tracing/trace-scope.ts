import { AsyncLocalStorage } from 'node:async_hooks';
import { isSpanContext, type SpanContext } from './recorded-span.ts';

/** What belongs to a piece of work, as `@opentelemetry/api` has it: values by keys, never changed. */
export interface ScopeContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): ScopeContext;
  deleteValue(key: symbol): ScopeContext;
}

type Callable = (...input: readonly unknown[]) => unknown;

// The name by which every copy of that package finds the span of a context.
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

/** A context of these values. */
export function createContext(values: ReadonlyMap<symbol, unknown> = new Map()): ScopeContext {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => createContext(new Map([...values, [key, value]])),
    deleteValue: (key) => createContext(new Map([...values].filter(([known]) => known !== key))),
  };
}

/** The context within which this span is the active one. */
export function withSpan(context: ScopeContext, span: unknown): ScopeContext {
  return context.setValue(spanKey, span);
}

/** Where the active span of a context is. */
export function activeSpan(context: ScopeContext): SpanContext | undefined {
  const span = context.getValue(spanKey);
  const { spanContext }: { spanContext?: unknown } = Object(span);
  const found: unknown =
    typeof spanContext === 'function' ? Reflect.apply(spanContext, span, []) : undefined;
  return isSpanContext(found) ? found : undefined;
}

/**
 * Which context the code now running belongs to, through promises, timers and events: the context
 * manager of `@opentelemetry/api` by its shape.
 */
export class TraceScope {
  readonly #current = new AsyncLocalStorage<ScopeContext>();
  readonly #outermost: () => ScopeContext;

  /** @param outermost the context of code that opened none */
  constructor(outermost: () => ScopeContext) {
    this.#outermost = outermost;
  }

  active(): ScopeContext {
    return this.#current.getStore() ?? this.#outermost();
  }

  with(
    context: ScopeContext,
    body: Callable,
    self?: unknown,
    ...input: readonly unknown[]
  ): unknown {
    return this.#current.run(context, () => Reflect.apply(body, self, input));
  }

  bind(context: ScopeContext, target: unknown): unknown {
    if (typeof target !== 'function') return target;
    const scope = this;
    return function bound(this: unknown, ...input: readonly unknown[]): unknown {
      return scope.with(context, (...given) => Reflect.apply(target, this, given), this, ...input);
    };
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}

export function isContext(value: unknown): value is ScopeContext {
  const { getValue, setValue }: { getValue?: unknown; setValue?: unknown } = Object(value);
  return typeof getValue === 'function' && typeof setValue === 'function';
}
