/** Instances that are Pods of a cluster; loaded where Fnlet is the controller of one. */
export { ArtifactArchives } from './cluster/artifact-archives.ts';
export { Builder } from './cluster/builder.ts';
export {
  type ExecutorChoice,
  type ExecutorQuestion,
  planExecutor,
} from './cluster/plan-executor.ts';
export { type LanguageProgram, type PoolTerms, podLanguages } from './cluster/plan-runner-pod.ts';
export { createPodExecutor, type PodExecutor } from './cluster/pod-executor.ts';
export { identifyByTokenReview, type ReviewedToken, reviewToken } from './cluster/pod-identity.ts';
export type { PoolSize } from './cluster/pod-supply.ts';
