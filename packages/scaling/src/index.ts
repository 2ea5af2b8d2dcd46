export {
  type CurrentLoad,
  describeLoad,
  measureRecent,
  type RecentCalls,
} from './current-load.ts';
export {
  decideScale,
  noScaleHistory,
  type ScaleCause,
  type ScaleDecision,
  type ScaleHistory,
  type ScaleSpec,
} from './decide-scale.ts';
export type { Demand } from './demand.ts';
export type { Floor } from './floor.ts';
export type { ScaleMetric } from './metric.ts';
export {
  type DemandHistory,
  emptyHistory,
  formatHistory,
  learn,
  parseHistory,
  predict,
} from './prediction.ts';
export {
  growthLimit,
  recentChanges,
  type ScaleChange,
  type ScalePolicy,
  type ScalingRules,
  shrinkLimit,
} from './rate-limits.ts';
export { noReadings, type Readings } from './readings.ts';
export { decideSchedule, type ScheduledMinimum } from './schedule.ts';
export {
  noRecommendations,
  type Recommendations,
  recommend,
  stabilize,
} from './stabilization.ts';
export { defaultSpans, emptyWindow, recordDemand, type Window } from './window.ts';
