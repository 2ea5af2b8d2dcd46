export { answerRequest } from './async/answer-request.ts';
export { AsyncCallError, type AsyncCallErrorCode } from './async/async-call-error.ts';
export { AsyncCalls, type AsyncCallsOptions, type CallQuery } from './async/async-calls.ts';
export { type CallPhase, callPhases } from './async/call-state.ts';
export type { CallView } from './async/call-view.ts';
export type { CallbackMessage, CallbackPort } from './async/callback.ts';
export type { AsyncLimits } from './async/limits.ts';
