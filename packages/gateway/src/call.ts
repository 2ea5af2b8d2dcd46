import type { Body } from './http1/body.ts';
import type { RequestHead } from './http1/request-head.ts';
import type { CallRecord } from './metering/call-record.ts';
import type { Pass } from './policy/route-policy.ts';
import type { Route, RouteMirror } from './route.ts';
import type { Trace } from './trace.ts';
import type { CallMeter } from './traffic/call-meter.ts';

/** A request that found its route. */
export interface Call {
  readonly head: RequestHead;
  /** Followed by the client's side. */
  readonly body: Body;
  readonly route: Route;
  readonly revisionId: string;
  /** Path and query for the function. */
  readonly target: string;
  readonly trace: Trace;
  readonly arrivedMs: number;
  /** How the policy of the route let it through; `head` is changed already. */
  readonly pass: Pass | undefined;
  /** Takes down what becomes of it, if anybody wants to know. */
  readonly record?: CallRecord | undefined;
  /** Set where its Revision is one of several. */
  readonly share: CallShare | undefined;
}

/** What a call brings along whose Revision is one of several. */
export interface CallShare {
  readonly meter: Pick<CallMeter, 'onAnswer' | 'onCut'>;
  /** What is added to the fields of the answer, each line with its CRLF. */
  readonly answerFields: string;
  /** Where a copy of it goes. */
  readonly mirror: RouteMirror | undefined;
}
