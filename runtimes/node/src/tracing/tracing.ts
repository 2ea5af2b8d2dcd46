import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TraceContext } from '@fnlet/invocation';
import type { CallOutcome } from '../call-metrics.ts';

/** What a span shows of a call. */
export interface TracedCall {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly outcome: CallOutcome;
  /** Where its caller is. */
  readonly trace: TraceContext | undefined;
}

/** Makes the spans of a function. */
export interface Tracing {
  begin(call: TracedCall): void;
  end(call: TracedCall): void;
  /** The code now running makes a request: the position that it is to carry. */
  outgoing(call: TracedCall, request: object): TraceContext;
  /** Offers all this to the OpenTelemetry that the function has loaded. */
  register(): void;
  /** Resolves when what has ended is sent. */
  flush(): Promise<void>;
}
