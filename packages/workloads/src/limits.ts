/** The bounds of this room, each with its reason. Times are milliseconds. */
export const limits = {
  /** As kubelet (client-go flowcontrol for containers): cheap when it loops, worth the wait. */
  restartBaseMs: 10_000,
  restartCapMs: 300_000,
  /** As kubelet: twice the cap. */
  restartHealthyMs: 600_000,
  /** As kubelet's --node-status-update-frequency and lease duration: 40 s, renewed every 10 s. */
  leaseSeconds: 40,
  heartbeatMs: 10_000,
  /** Between two attempts to write a Pod's status. */
  statusRetryBaseMs: 100,
  statusRetryCapMs: 10_000,
  /** Between two looks at a ConfigMap or Secret whose keys are variables, and which is missing. */
  missingRetryMs: 2_000,
  /** As kubelet's volume manager: from half a second, doubling up to two minutes and two seconds. */
  mountRetryBaseMs: 500,
  mountRetryCapMs: 122_000,
  /** A server that is starting is asked often until it answers first, so that it is ready at once. */
  eagerProbeBaseMs: 50,
  /** A hook that takes longer than the grace period is cut off with it; this is without one. */
  postStartMs: 60_000,
  /** A year, as the tokens that a kubelet renews: these are not, and end with their Pod. */
  accountTokenSeconds: 31_536_000,
  /** Objects of one kind that are reconciled at once; each run is a few API calls. */
  workers: 4,
  /** As kubernetes, BurstReplicas: Pods that one run of a ReplicaSet makes or deletes at most. */
  podBurstMax: 500,
  /** Between two tries to make a Pod that the API refuses. */
  createRetryMs: 5_000,
  /** As kubernetes: addresses in one EndpointSlice. */
  endpointsPerSliceMax: 100,
  /** As kubernetes, DeletionTimeout: until an evicted Pod that does not go counts again. */
  disruptionTimeoutMs: 120_000,
  /** As kube-controller-manager, horizontal-pod-autoscaler-sync-period. */
  autoscaleMs: 15_000,
  /** What a node says it can hold; the machine itself decides. */
  podsPerNode: 110,
  /** Start times that are looked at after a long sleep; kubernetes gives up beyond 100, too. */
  missedStartsMax: 100,
  /** First Pod failure of a Job to the next try, as kubernetes: 10 s, doubling up to 10 min. */
  jobBackoffBaseMs: 10_000,
  jobBackoffCapMs: 600_000,
} as const;
