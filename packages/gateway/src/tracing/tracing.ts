import type { CallReader } from '../metering/call-records.ts';
import type { CallTracer, Tracer } from '../trace.ts';

/** Makes spans of requests that are over. */
export interface Tracing extends CallReader {
  /** What gives requests the positions of these spans. */
  tracer(names: CallTracer): Tracer;
}
