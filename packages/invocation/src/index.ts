export {
  decideEntry,
  type Entry,
  type EntryQuestion,
  entryCandidates,
  nodeSourceExtensions,
} from './entry.ts';
export { decideFailure, type FailureAnswer } from './failure.ts';
export { requestIdHeader, unloadedHeader } from './headers.ts';
export type {
  HeaderField,
  Invocation,
  InvocationAnswer,
  InvocationFailure,
  Invoker,
} from './invoker.ts';
export {
  type FinishedSpan,
  formatOtlpTraces,
  type SpanAttributes,
  type SpanEvent,
  type SpanLink,
  type SpanValue,
  spanKinds,
  spanStatus,
} from './otlp-traces.ts';
export {
  type PodArtifact,
  type PodCommand,
  type PodFiles,
  type PodHello,
  type PodInstance,
  type PodState,
  parsePodCommand,
  podAudience,
  podPaths,
  podProtocol,
} from './pod-channel.ts';
export { decideResult, type HandlerStyle, type Result, type ResultBody } from './result.ts';
export { parseRunnerCommand } from './runner-command.ts';
export { formatServerSentEvent } from './server-sent-event.ts';
export type {
  Compatibility,
  InvocationLimits,
  LoadFailure,
  RunnerCommand,
  RunnerReport,
  ServiceAddress,
  Specialisation,
} from './specialisation.ts';
export {
  formatTraceHeaders,
  formatTraceparent,
  formatW3cHeaders,
  isUndecided,
  readTraceContext,
  type TraceContext,
} from './trace-context.ts';
export { decideTraceTarget, kymaTraceCollector, type TraceTarget } from './trace-target.ts';
