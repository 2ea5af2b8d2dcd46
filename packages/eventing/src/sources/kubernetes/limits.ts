/** Every bound of watched kinds and its reason. */
export const kubernetesLimits = {
  /** Changes that wait for one Trigger; one that is slower begins again where it was. */
  waitingMax: 1_000,
  /** How long a watch is asked to live, and how long its end may be late: dead connections end. */
  watchSeconds: 300,
  watchGraceMs: 30_000,
  /** The wait before a watch that failed is opened again; it doubles, and is bounded. */
  retryBaseMs: 500,
  retryCapMs: 30_000,
  /** Objects of one page of a list. */
  pageSize: 500,
  /** How long an answer about rights counts. */
  accessMs: 60_000,
  /** Between two notes of how far a Trigger is: what comes again meanwhile is known by its id. */
  checkpointMs: 1_000,
  /** The same while nothing happens: the history of an API reaches back further. */
  idleCheckpointMs: 180_000,
  /** Bytes of the data of an event, and of what is kept of an object: a log takes a megabyte. */
  dataBytesMax: 900_000,
  /** The same where two of them are in one event. Annotations alone may have 256 KiB. */
  partBytesMax: 400_000,
  /** What one evaluation of an expression may cost, in the units of Kubernetes. */
  celCostMax: 1_000_000,
  /** Records of the log that are read at once. */
  readRecords: 500,
} as const;
