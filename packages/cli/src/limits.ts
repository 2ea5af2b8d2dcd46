/** Objects above 1.5 MiB are refused by most API servers (etcd's default); leave room for the rest. */
export const sourceBytesMax: number = 1024 * 1024 + 256 * 1024;

/** A function of more files than this is a directory named by mistake. */
export const sourceFilesMax = 1000;

/** How long `deploy`, `delete` and `dev` wait by default: a dependency install may take minutes. */
export const waitMs = 180_000;

/** Edits come in bursts (save all, a branch switch): wait until it has been quiet for this long. */
export const watchQuietMs = 60;

/** A file that is written all the time, such as a log, must not hide the edits beside it. */
export const watchBurstMs = 1_000;

/** `call -o` holds the whole answer to make one document of it; without `-o` it only passes. */
export const answerBytesMax: number = 64 * 1024 * 1024;

/** Signals closer together than this are one key press; nobody presses twice so fast. */
export const sameKeyPressMs = 100;

/** How long whoever asks for a health page may take to send the request: it has no body. */
export const healthRequestMs = 10_000;

/** Manifests on standard input: far more than one project has. */
export const manifestBytesMax: number = 64 * 1024 * 1024;
