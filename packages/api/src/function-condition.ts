/** What the status of a Function says; each has `observedGeneration` of the spec it is about. */
export const functionConditions = {
  /** The newest generation serves: no call reaches older code any more. */
  ready: 'Ready',
  /** The source of the newest generation is stored and its environment is there. */
  source: 'SourceReady',
  /** The runtime of the newest generation is there, and its packages are installed. */
  dependencies: 'DependenciesReady',
  /** Calls are answered, by the newest generation or by the last one that works. */
  routes: 'RoutesReady',
  /** Everything that it scales by is known; only where others measure some of it. */
  scaling: 'ScalingActive',
  /** In a cluster: what runs it, and why; False where nothing can, or its Pods do not start. */
  executor: 'ExecutorReady',
} as const;

/** Type of a condition of a Function. */
export type FunctionConditionType = (typeof functionConditions)[keyof typeof functionConditions];

/** Why a condition has its status; part of the API. */
export const functionReasons = {
  /** True: everything that the condition is about is as it should be. */
  ready: 'Ready',
  /** Unknown: source and packages are being stored. */
  preparing: 'Preparing',
  /** Unknown: the first Instance of the new Revision is being started. */
  starting: 'Starting',
  /** RoutesReady is True, but calls go to an older Revision than the newest. */
  previousRevision: 'PreviousRevision',
  /** RoutesReady is False: no Revision was ever ready. */
  noRevision: 'NoRevision',
  /** Calls go where spec.traffic says, and not all of them to the newest Revision. */
  trafficSplit: 'TrafficSplit',
  /** Unknown, False after the deadline: a Revision has too few Instances for its share of calls. */
  instancesMissing: 'InstancesMissing',
  /** Unknown: the newest Revision takes over step by step. */
  canary: 'Canary',
  /** False: the newest Revision was rolled back; the message says by which of its bounds. */
  canaryFailed: 'CanaryFailed',
  /** A Revision that spec.traffic or spec.mirror names does not exist, or was never ready. */
  revisionNotFound: 'RevisionNotFound',
  /** A Secret, ConfigMap or key that the environment needs does not exist. */
  environmentNotFound: 'EnvironmentNotFound',
  /** No runtime has this name: the message says which ones there are. */
  unknownRuntime: 'UnknownRuntime',
  /** The program of the runtime is not on this machine. */
  runtimeNotFound: 'RuntimeNotFound',
  /** The ConfigMap, repository, reference, directory or archive does not exist. */
  sourceNotFound: 'SourceNotFound',
  /** The server of the source could not be reached; tried again. */
  sourceUnreachable: 'SourceUnreachable',
  /** The server of the source refuses the credentials, or is not the one that was expected. */
  sourceDenied: 'SourceDenied',
  /** The archive is not the one that its checksum names. */
  checksumMismatch: 'ChecksumMismatch',
  /** What was fetched is not a source: an archive, file name or size that cannot be used. */
  sourceInvalid: 'SourceInvalid',
  /** The ServiceAccount that the Function is to act as does not exist. */
  serviceAccountNotFound: 'ServiceAccountNotFound',
  /** A request of CPU or memory is above its limit, or a limit is too low for any code. */
  resourcesInvalid: 'ResourcesInvalid',
  /** The package.json cannot be read. */
  manifestInvalid: 'ManifestInvalid',
  /** A package, or the version asked for, does not exist. */
  dependencyNotFound: 'DependencyNotFound',
  /** The package registry could not be reached; tried again. */
  registryUnreachable: 'RegistryUnreachable',
  /** The package registry refuses the credentials, or there are none. */
  registryDenied: 'RegistryDenied',
  /** Installing packages failed. */
  installFailed: 'InstallFailed',
  /** The code could not be loaded: the message says where and why. */
  loadFailed: 'LoadFailed',
  /** The process of the Function ended before it was ready. */
  instanceCrashed: 'InstanceCrashed',
  /** An Instance used more memory than its limit and was killed. */
  outOfMemory: 'OOMKilled',
  /** No Instance was ready in time. */
  startTimeout: 'StartTimeout',
  /** Warm Pods of a pool run it. */
  pool: 'Pool',
  /** Warm Pods that are made for it alone run it, while it is developed. */
  ownPool: 'OwnPool',
  /** While its newest Revision starts: Pods are made anew for it, and the message says for what. */
  newPods: 'NewPods',
  /** A Deployment of its own runs it: the message says why. */
  deployment: 'Deployment',
  /** The executor that is asked for cannot run it: the message says what to change. */
  executorUnfit: 'ExecutorUnfit',
  /** False: no node has room for its Pod, or is one that it may run on. */
  unschedulable: 'Unschedulable',
  /** False: the image of its Pod is not there, or the registry does not give it. */
  imagePullBackOff: 'ImagePullBackOff',
  /** False: the container of its Pod cannot be made. */
  createContainerError: 'CreateContainerError',
  /** False: the container of its Pod ends again and again before it is given code. */
  crashLoopBackOff: 'CrashLoopBackOff',
  /** False: its Pod mounts what is not there. */
  failedMount: 'FailedMount',
  /** False: its Pod gets no network. */
  failedCreatePodSandbox: 'FailedCreatePodSandBox',
  /** False: the API refuses its Pods, or their Deployment: a quota, admission, rights. */
  failedCreate: 'FailedCreate',
  /** False: its Pod was ended, or not taken, by its node. */
  podFailed: 'PodFailed',
  /** False: its Pod runs, and does not reach the controller. */
  runnerNotConnected: 'RunnerNotConnected',
  /** A server does not say the number that the Function scales by; tried again. */
  metricUnavailable: 'MetricUnavailable',
  /** Something else failed; tried again. */
  internalError: 'InternalError',
} as const;

/** Reason of a condition of a Function. */
export type FunctionReason = (typeof functionReasons)[keyof typeof functionReasons];
