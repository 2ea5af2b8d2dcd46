/** Objects above 1.5 MiB are refused by most API servers (etcd's default); leave room for the rest. */
export const sourceBytesMax: number = 1024 * 1024 + 256 * 1024;

/** As many as the kind Function takes; more go into an archive. */
export const sourceFilesMax = 512;

/** An archive of more files, or more bytes, is refused when it is unpacked. */
export const archiveFilesMax = 20_000;
export const archiveBytesMax: number = 256 * 1024 * 1024;

/** One piece of an upload: in base64 it fits into a request, of which an API server takes 3 MiB. */
export const uploadPieceBytes: number = 2 * 1024 * 1024;

/** How long `deploy`, `delete` and `dev` wait by default: a dependency install may take minutes. */
export const waitMs = 180_000;

/** Edits come in bursts (save all, a branch switch): wait until it has been quiet for this long. */
export const watchQuietMs = 60;

/** A file that is written all the time, such as a log, must not hide the edits beside it. */
export const watchBurstMs = 1_000;

/** `call -o` holds the whole answer to make one document of it; without `-o` it only passes. */
export const answerBytesMax: number = 64 * 1024 * 1024;

/** `kubeless top` asks an Instance for so long, as Kubeless does: a busy one may not answer. */
export const metricsMs = 5_000;

/** Signals closer together than this are one key press; nobody presses twice so fast. */
export const sameKeyPressMs = 100;

/** Manifests on standard input: far more than one project has. */
export const manifestBytesMax: number = 64 * 1024 * 1024;

/**
 * How long a function that was ejected may take to answer what it has begun, as under Fnlet; one
 * whose calls may take longer has as long as that.
 */
export const drainMsMin = 30_000;

/** Largest request body of a function that was ejected: what `fnlet up` has by default. */
export const ejectedBodyBytesMax: number = 6 * 1024 * 1024;

/** A piece of the program in a ConfigMap, which holds 1 MiB (core/v1), less what the rest takes. */
export const bundlePieceBytes: number = 960 * 1024;

/** How long `install` and `upgrade` wait for Pods that run: images are pulled on the way. */
export const installWaitMs = 300_000;

/** How often they look. */
export const installPollMs = 500;

/** Lines compared with lines, one table of 4 bytes each: two versions of 2 000 lines that differ. */
export const comparedCellsMax = 4_000_000;

/** How long `uninstall --purge` waits for what it has deleted: finalizers have until then. */
export const purgeWaitMs = 300_000;

/**
 * How long it waits before that for operators to clean up. The hub lets go of what it cannot clean
 * up after a minute.
 */
export const operatorsWaitMs = 120_000;

/** Between two tries to follow events where nobody tells them: a change of leader takes seconds. */
export const tailRetryMs = 1_000;

/**
 * How long `install` waits until the API server reaches the controller: it looks again after half a
 * minute at the latest.
 */
export const aggregationWaitMs = 40_000;

/**
 * How long a function is said to be developed, and how often `fnlet dev` says it again: a network
 * that is away for some minutes ends nothing, a command that was killed costs a Pod for no longer.
 */
export const developmentMs = 900_000;
export const developmentRenewMs = 300_000;

/** What is said at the end of `fnlet dev`: whoever has pressed Ctrl-C wants their shell back. */
export const farewellMs = 5_000;
