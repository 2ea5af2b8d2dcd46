/**
 * Every bound of this room, each with its reason. Times are milliseconds, sizes bytes.
 */
export const limits = {
  /** As kubelet: long enough that a crash loop costs nothing, short enough to be worth a wait. */
  backoffBaseMs: 10_000,
  backoffCapMs: 300_000,
  /** As kubelet: an Instance that was healthy for this long has paid for its earlier crashes. */
  healthyMs: 600_000,
  /** Code that has not loaded by then never will; the longest cold starts known take 20 s. */
  loadMs: 30_000,
  /** Between SIGTERM and SIGKILL; the time to drain lies before. */
  terminateMs: 2_000,
  /** Between the end of a Runner's control channel and its exit, which takes milliseconds. */
  exitMs: 2_000,
  /** How long `close()` lets calls in flight go on, unless told otherwise. */
  closeMs: 10_000,

  /** Far above what one machine can run; keeps a wrong number from filling memory. */
  instancesPerRevisionMax: 1_000,
  /**
   * Warm Runners of a runtime: this share of the machine's memory, within bounds. One that waits
   * costs 12 MB that no other process shares.
   */
  warmMemoryShare: 0.03125,
  warmRunnerBytes: 12_582_912,
  warmRunnersMin: 8,
  warmRunnersMax: 64,
  /** Runtimes that keep warm Runners at the same time; the rest starts them when they are needed. */
  warmRuntimesMax: 4,
  /** How long a take is remembered when the size of a pool is decided. */
  takesLookbackMs: 300_000,
  /** Takes within this time count as one burst: the pool holds what the largest burst took. */
  burstMs: 1_000,
  /** Takes remembered per runtime: more than a pool can hold change nothing. */
  takesMax: 64,
  /** A Runner takes 40 ms of CPU to start, a wake 5 ms of time: that goes first. */
  refillDelayMs: 20,
  /** Under steady takes, such as edits right after each other, the refill must keep up. */
  refillDelayMaxMs: 40,
  /** The same while the pool still has Runners: fifty wakes at once take 150 ms on two cores. */
  calmRefillDelayMs: 200,
  calmRefillDelayMaxMs: 1_000,
  /**
   * A refill leaves the CPU to Runners that load code for so long, as long as fifty of them take on
   * two cores: one that takes longer waits for something, and where new ones load all the time the
   * refill must keep up.
   */
  loadingMs: 200,
  /**
   * Runners that load their code at the same time, for each processor: fifty at once would only
   * take the caches from each other, and be late together. One that takes longer than its turn
   * waits for something, and counts no more.
   */
  loadsPerProcessor: 2,
  loadTurnMs: 40,
  /** What a Revision that gets more Instances leaves to others of a pool's size; at least one. */
  runnersLeftShare: 0.25,
  /** A Runner that is not warm by then hangs. */
  warmMs: 20_000,
  /** How often a Runner that died before it was warm is tried again for one take. */
  warmTriesMax: 2,
  /** Between attempts to refill a pool whose Runners die before they are warm. */
  refillBackoffBaseMs: 1_000,
  refillBackoffCapMs: 60_000,

  /** Before a dead watcher is replaced: a machine without processes left is not pressed further. */
  reaperRestartMs: 10,

  /** One line on a control channel: a specialisation with its environment fits, a flood does not. */
  controlLineBytesMax: 1_048_576,
  /** Output of a Runner without code; kept to explain why it died. */
  warmOutputBytesMax: 16_384,
  /** What is told of the output of a process where its end is told: it has to fit a condition. */
  lastOutputBytesMax: 1_024,
  lastOutputLinesMax: 5,
  /** Output that waits for somebody who is attached to a container: a screen full, many times. */
  attachedBytesMax: 4_194_304,

  /** How long output may still come after a process ended: a detached child may hold the pipe. */
  outputAfterExitMs: 500,

  /** How soon, and how often, the session behind a new terminal is looked for. */
  terminalLookMs: 50,
  terminalLooksMax: 20,
  /** Two readings of CPU time this far apart tell a rate to within a hundredth of a core. */
  usageWindowMs: 1_000,
  /** An older reading tells about a time that nobody asked for. */
  usageWindowMaxMs: 60_000,
  /** What the directory of an Instance's commands may hold: sources many times over, no disk full. */
  commandDirectoryBytesMax: 268_435_456,
  commandDirectoryEntriesMax: 20_000,
  /** Between two looks at it while a command runs: what fits through kubectl meanwhile is bearable. */
  commandDirectoryLookMs: 1_000,
  /** How long the port of an Instance may take to accept a connection of this machine. */
  connectMs: 5_000,

  /** As containerd: a longer line is split into parts. */
  logLineBytesMax: 16_384,
  /** One log file; with the rotated one before it a run keeps 10 MiB. */
  logFileBytesMax: 5_242_880,
  /** What an Instance may log in one window; then its pipe is full and it waits. */
  logWindowBytesMax: 1_048_576,
  logWindowMs: 100,
  /** Logs of stopped Instances kept: per Revision so that a crash can be read, and in total. */
  stoppedLogsPerRevisionMax: 3,
  stoppedLogsMax: 100,
  /** Output of a probe or hook: as kubelet, enough for an Event. */
  executedOutputCharactersMax: 10_240,
  probeMessageCharactersMax: 1_024,
  /** One read from a log file. */
  logReadBytes: 65_536,

  /** Files of one source; beyond that an archive or a repository is the better home. */
  sourceFilesMax: 2_000,
  /** Bytes of one source: what fits into one object of the API, files by reference included. */
  sourceBytesMax: 33_554_432,
  /** As file systems have it. */
  sourcePathBytesMax: 512,

  /** A package.json or package-lock.json; locks of large projects have a few MiB. */
  manifestBytesMax: 33_554_432,
  /** Files that a requirements.txt includes, directly or not: large projects have a dozen. */
  requirementFilesMax: 50,
  /** Programs of one source that are searched for imports, together: as large as a whole source. */
  importersBytesMax: 33_554_432,
  /** What an archive, or a commit, unpacks to: sources with their data, no disk full. */
  treeBytesMax: 268_435_456,
  treeEntriesMax: 20_000,
  /** Beyond what deflate can do (1032 to 1), on top of what small archives may reach. */
  unpackRatioMax: 1_100,
  unpackRatioFromBytes: 16_777_216,
  /** Lines of what git says that are kept: an error with its explanation. */
  gitLinesMax: 12,
  gitLineCharactersMax: 512,
  /** What `git ls-remote` may print: far more than the few references that it is asked for. */
  gitReferencesBytesMax: 1_048_576,
  /** Asking a server for a reference; it hangs when it takes longer. */
  gitAskMs: 60_000,
  /** Fetching one commit, or unpacking it. */
  gitFetchMs: 600_000,
  /** A repository in the cache; one that is larger ends while it is fetched. */
  gitRepositoryBytesMax: 2_147_483_648,
  gitRepositoryLookMs: 1_000,
  /** Commits come more often than that, or fetching one anew is no loss. */
  gitRepositoryKeptMs: 172_800_000,
  /** Each fetch adds a pack; beyond that it is cheaper to begin anew than to keep house. */
  gitPacksMax: 50,
  /** Fetches and downloads at once, and waiting; they are mostly waiting themselves. */
  fetchesMax: 4,
  fetchesWaitingMax: 2_000,
  /** One archive as it is fetched or uploaded. */
  archiveBytesMax: 268_435_456,
  /** What was uploaded is referred to within this time, or somebody has changed their mind. */
  uploadKeptMs: 3_600_000,
  uploadsPerNamespaceMax: 200,
  /** A fetched archive is unpacked within this time, or it is fetched again. */
  archiveKeptMs: 3_600_000,
  downloadMs: 600_000,
  /** A server that sends nothing for so long hangs. */
  downloadSilenceMs: 30_000,
  /** Connections through the proxy that knows Services, of one program: uv opens up to fifty. */
  proxyConnectionsMax: 128,
  /** How long one may idle: longer than programs keep theirs, so that none is closed under a request. */
  proxyIdleMs: 60_000,
  /** Release pages need two; more go in a circle. */
  redirectsMax: 10,

  /** Package managers are mostly waiting; two at a time keep a laptop usable. */
  installsMax: 2,
  installsWaitingMax: 100,
  /** One run of a package manager. */
  installMs: 600_000,
  /** A program that is asked for its version answers in a tenth of a second, cold from a slow disk. */
  programLookMs: 15_000,
  programLookBytesMax: 65_536,
  /** Lines of a package manager's output that are kept: an error with its explanation. */
  installerLinesMax: 25,
  installerLineBytesMax: 1_024,
  /** Hosts in what a package manager reads that are looked at: a lock names thousands of the same. */
  registriesMax: 50,
  /** Pages of an index that were refused: one for each package, and they are alike. */
  refusalsMax: 3,

  /** Between two looks at the memory of Instances where the kernel keeps no bounds. */
  memoryLookMs: 250,
  /** Behind everybody without a CPU limit, where the kernel keeps no bounds. */
  boundedNiceness: 10,
  /** As often as Linux lets one session of a user be lowered; as many as may start at once. */
  autogroupRetryMs: 110,
  autogroupRetriesMax: 100,
  /** A control group is empty a moment after its last process; one that is not is left. */
  cgroupRemovalMs: 100,
  cgroupRemovalsMax: 50,

  /** After the last Instance is ready: a wake is not held up, and shows as one change. */
  mirrorDelayMs: 25,
  /** While Instances start: so do fifty at once on two cores. What takes longer is shown meanwhile. */
  mirrorDelayMaxMs: 250,
  /** Pods that stay of Instances that failed, one for each Function: as many as there are logs. */
  failedPodsMax: 100,
  /** Between two attempts to write one Pod. */
  mirrorBackoffBaseMs: 100,
  mirrorBackoffCapMs: 30_000,
  /** Pods written at the same time. */
  mirrorWritesMax: 4,
} as const;
