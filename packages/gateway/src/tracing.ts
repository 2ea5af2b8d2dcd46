/** The door to spans of requests; a module of its own, loaded where somebody collects them. */
export { CallSpans } from './tracing/call-spans.ts';
export { parseTraceSampler, type TraceSampler } from './tracing/trace-sampler.ts';
