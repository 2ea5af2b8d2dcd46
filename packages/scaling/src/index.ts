export { decideScale, type ScaleDecision, type ScaleSpec } from './decide-scale.ts';
export type { Demand } from './demand.ts';
export {
  type Bucket,
  emptyWindow,
  recordDemand,
  type Window,
} from './window.ts';
