import type { IncomingMessage } from 'node:http';
import { formatTraceparent, type TraceContext } from '@fnlet/invocation';
import type { Context, ContextLog, EventContext } from '@fnlet/sdk';
import type { CallSetting } from './call.ts';
import type { CallLog } from './instance-log.ts';

/** What a context shows of a call or of a connection that was taken over. */
export interface CallFacts {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly setting: CallSetting;
  readonly log: CallLog;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly trace: TraceContext | undefined;
}

/** What a web-style handler learns about its call. */
export function createContext(call: CallFacts): Context {
  return new CallContext(call);
}

/** What an event-style handler learns: the keys of Kyma and Kubeless, and the signal besides. */
export function createEventContext(call: CallFacts): EventContext {
  return new CallEventContext(call);
}

// Classes with getters: a call that looks at none of this pays for none of it.
class CallContext implements Context {
  readonly #call: CallFacts;

  constructor(call: CallFacts) {
    this.#call = call;
  }

  get requestId(): string {
    return this.#call.requestId;
  }

  get functionName(): string {
    return this.#call.setting.specialisation.function;
  }

  get namespace(): string {
    return this.#call.setting.specialisation.namespace;
  }

  get revision(): string {
    return this.#call.setting.specialisation.revision;
  }

  get runtime(): string {
    return this.#call.setting.specialisation.runtime;
  }

  get deadline(): Date {
    return new Date(this.#call.deadlineMs);
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get traceparent(): string | undefined {
    const { trace } = this.#call;
    return trace && formatTraceparent(trace);
  }

  get log(): ContextLog {
    return createContextLog(this.#call);
  }
}

const bytesPerMegabyte = 1024 * 1024;

class CallEventContext implements EventContext {
  readonly #call: CallFacts;
  readonly 'function-name': string;
  readonly runtime: string;
  readonly namespace: string;
  readonly timeout: number;
  readonly 'body-size-limit': number;

  constructor(call: CallFacts) {
    const { specialisation } = call.setting;
    this.#call = call;
    this['function-name'] = specialisation.function;
    this.runtime = specialisation.runtime;
    this.namespace = specialisation.namespace;
    this.timeout = specialisation.limits.timeoutMs / 1000;
    this['body-size-limit'] = specialisation.limits.bodyBytesMax / bytesPerMegabyte;
  }

  get requestId(): string {
    return this.#call.requestId;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get traceparent(): string | undefined {
    const { trace } = this.#call;
    return trace && formatTraceparent(trace);
  }

  get log(): ContextLog {
    return createContextLog(this.#call);
  }
}

function createContextLog(call: CallFacts): ContextLog {
  const writeAs =
    (level: string) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      const more = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
      call.log.write(1, `${level} ${message}${more}\n`);
    };
  return {
    debug: writeAs('DEBUG'),
    info: writeAs('INFO'),
    warn: writeAs('WARN'),
    error: writeAs('ERROR'),
  };
}
