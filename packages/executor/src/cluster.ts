/** Instances that are Pods of a cluster; loaded where Fnlet is the controller of one. */
export { ArtifactBucket } from './bucket/artifact-bucket.ts';
export { type BlobLocation, parseBlobLocation } from './bucket/blob-location.ts';
export { BlobError, type BlobErrorCode, type BlobStore } from './bucket/blob-store.ts';
export { openBlobs } from './bucket/open-blobs.ts';
export { ArtifactArchives } from './cluster/artifact-archives.ts';
export { Builder } from './cluster/builder.ts';
export {
  type ExecutorChoice,
  type ExecutorQuestion,
  planExecutor,
} from './cluster/plan-executor.ts';
export type { PoolSize } from './cluster/plan-pool.ts';
export { type LanguageProgram, type PoolTerms, podLanguages } from './cluster/plan-runner-pod.ts';
export { createPodExecutor, type PodExecutor } from './cluster/pod-executor.ts';
export { identifyByTokenReview, type ReviewedToken, reviewToken } from './cluster/pod-identity.ts';
