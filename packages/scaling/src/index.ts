export { decideScale, type ScaleDecision, type ScaleSpec } from './decide-scale.ts';
export type { Demand } from './demand.ts';
export {
  type Bucket,
  bucketsMax,
  emptyWindow,
  panicSeconds,
  peakConcurrency,
  recordDemand,
  stableSeconds,
  type Window,
} from './window.ts';
