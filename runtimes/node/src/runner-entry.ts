import { fileURLToPath } from 'node:url';

/**
 * Path of the Runner's program. Whoever starts it passes
 * `--socket <path> --host <ip> --port <n> --cache <dir>` and holds the other end of file
 * descriptor 3, its control channel (see `RunnerCommand` and `RunnerReport` of the room
 * `invocation`).
 *
 * @example
 * ```ts
 * const runner = spawn(process.execPath, [runnerEntry, '--socket', path, …], {
 *   env: {},
 *   stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
 * });
 * ```
 */
export const runnerEntry: string = fileURLToPath(new URL('./main.mjs', import.meta.url));

/**
 * Path of the program of a Runner in a Pod, which connects to its owner itself: see `runInPod` for
 * its arguments.
 */
export const podRunnerEntry: string = fileURLToPath(new URL('./pod-main.mjs', import.meta.url));
