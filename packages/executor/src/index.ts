export type { AddedRuntime } from './added-runtime.ts';
export { ArtifactError, type ArtifactErrorCode, type SourcePosition } from './artifact-error.ts';
export {
  type Artifact,
  type ArtifactSource,
  type ArtifactStore,
  type ArtifactStoreOptions,
  createArtifactStore,
} from './artifact-store.ts';
export type {
  ContainerCommand,
  ContainerExit,
  ContainerLogKey,
  ContainerMount,
  ContainerProcess,
  ContainerRuntime,
  ContainerStart,
  ExecutedCommand,
  NetworkProbe,
  ProbeOutcome,
  VolumeContent,
  VolumeFile,
} from './container-runtime.ts';
export {
  createDependencyInstaller,
  type DependencyInstaller,
  type DependencyInstallerOptions,
  type DependencySource,
} from './dependency-installer.ts';
export type { DependencyManifest } from './dependency-manifest.ts';
export type {
  EnsureOptions,
  Executor,
  Instance,
  InstanceAddress,
  InstanceEvent,
  InstanceExit,
  InstancePhase,
  InstanceVariable,
  Obstacle,
  ObstacleReason,
  PodWishes,
  RunnableRevision,
} from './executor.ts';
export { ExecutorError, type ExecutorErrorCode } from './executor-error.ts';
export type { ExecOptions } from './instance-access.ts';
export type { UntilUncalled } from './instance-loop.ts';
export { instanceContainer, noDebugging } from './instance-pod.ts';
export {
  type DependencyLock,
  type LockedDependencies,
  lockDependencies,
} from './lock-dependencies.ts';
export type { ReadLogsOptions } from './log-reader.ts';
export {
  createMemoryContainers,
  type MemoryContainer,
  type MemoryContainers,
  type MemoryContainersOptions,
} from './memory-containers.ts';
export {
  createMemoryExecutor,
  type MemoryExecutor,
  type MemoryExecutorOptions,
  type MemoryLoad,
} from './memory-executor.ts';
export { createMountDirectories, type MountDirectories } from './mount-directories.ts';
export type { InstanceMount } from './mount-view.ts';
export type { Environment } from './npm-command.ts';
export type { PythonProgram } from './pip-command.ts';
export { createPodMirror, type PodMirror, type PodMirrorOptions } from './pod-mirror.ts';
export {
  type ContainersUsage,
  createProcessContainers,
  type ProcessContainers,
  type ProcessContainersOptions,
} from './process-containers.ts';
export {
  createProcessExecutor,
  type InstancesUsage,
  type ProcessExecutor,
  type ProcessExecutorOptions,
} from './process-executor.ts';
export type { ProcessSupplyOptions } from './process-supply.ts';
export { pythonRunnerArguments } from './python-runner.ts';
export { createReaper, type Reaper, type ReaperOptions } from './reaper.ts';
export type { RuntimeCommand } from './runtime-command.ts';
export { RuntimeError, type RuntimeErrorCode } from './runtime-error.ts';
export type { RuntimeLook, RuntimeState } from './runtime-source.ts';
export { createRuntimes, type Runtimes, type RuntimesOptions } from './runtimes.ts';
export type { WorkCaller } from './shared-work.ts';
export { createSocketDirectory } from './socket-directory.ts';
export type { SecretValues } from './source/git-credentials.ts';
export type { FindService, NetworkPlace, ServiceRoute } from './source/service-route.ts';
export {
  createSourceFetcher,
  type SourceAccess,
  type SourceFetcher,
  type SourceFetcherOptions,
} from './source/source-fetcher.ts';
export type { SourceTree } from './source/source-tree.ts';
export { type UploadPart, type UploadState, UploadStore } from './source/upload-store.ts';
export type { SourceFiles } from './source-files.ts';
export type { MeterReading, Usage } from './usage-meter.ts';
