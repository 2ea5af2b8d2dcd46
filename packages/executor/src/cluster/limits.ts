/** Every bound of this folder, each with its reason. Times are milliseconds, sizes bytes. */
export const clusterLimits = {
  /** Connections that have not said who they are: Pods do so at once. */
  helloMs: 10_000,
  /** One line from a Runner: a report with its stack fits, a flood does not. */
  lineCharactersMax: 1_048_576,
  /** Asking the API whose a token is. */
  identifyMs: 10_000,
  /** Archives up to this size are part of the message: most functions, before Base64. */
  inlineBytesMax: 262_144,
  /** What is kept of artifacts for the next wake: of ten thousand functions of a usual size. */
  toldBytesMax: 16_777_216,
  /**
   * How long a pool may be larger without a word of it: a Pod that was taken leaves it within
   * milliseconds, and its ReplicaSet fills the place by itself. Two writes less a wake.
   */
  poolSettleMs: 1_000,
  /** Pods that an earlier owner left: a Gateway that still calls them has said so by then. */
  orphanMs: 60_000,
  /** Pods that the API shows as Instances come back within this after a restart of their owner. */
  reunionMs: 10_000,
  /**
   * Those that serve meanwhile: one whose owner vanished with its node finds that out after half a
   * minute (`ownerSilenceMs`), and Gateways call it for 40 s without a word.
   */
  readyReunionMs: 36_000,
  /** Somebody who develops a function pauses for less; a Pod that waits for them costs as much. */
  developmentMs: 1_800_000,
  /** Writes to Pods at the same time: a burst of fifty wakes is claimed within a second. */
  podWrites: 8,
  /** Installing packages takes at most so long, with the start of its Pod and images. */
  buildSeconds: 900,
  /** Between two looks at a Pod that installs packages. */
  buildLookMs: 1_000,
  /** What is read of what a package manager said: the reason is at its end. */
  buildOutputBytesMax: 65_536,
  /** Packed packages: more than Runners unpack helps nobody. */
  buildBytesMax: 1_073_741_824,
  /** What installing takes: npm holds all that it unpacks in memory. */
  buildResources: {
    requests: { cpu: '100m', memory: '128Mi' },
    limits: { cpu: '2', memory: '1Gi' },
  },
  /** Packages, what was fetched, and what compiling leaves. */
  buildVolume: '4Gi',
  /** A ReplicaSet has chosen by then which Pods end for a smaller number, and they have said so. */
  followDownMs: 5_000,
  /** Deployments that are written at the same time. */
  deploymentWrites: 8,
  /** A wake is over by then; what the API shows of it, and the next Pod of the pool, have time. */
  claimMs: 50,
  /** A Pod that is usual is there by then, but for a first pull: then it is asked what is wrong. */
  slowStartMs: 10_000,
  /** Between two looks at Pods that are awaited: kubelets try again less often. */
  obstacleLookMs: 5_000,
  /** Deployments that are looked at at the same time; most of it is waiting. */
  obstacleLooks: 4,
  /** Warnings about one Pod that are read; equal ones are one Event. */
  podEventsMax: 50,
  /** Delays before a write to a Pod is tried again. */
  podWriteBaseMs: 100,
  podWriteCapMs: 30_000,
  /** A connection whose other end vanished without a word is noticed after this. */
  keepAliveMs: 15_000,
} as const;
