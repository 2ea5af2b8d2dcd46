/** How a Runner is started. */
export interface RunnerArguments {
  /** Unix socket to listen on. */
  readonly socketPath: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** Reads `--socket <path> --host <ip> --port <n>`; `--cache <dir>` belongs to `main.mjs`. */
export function parseRunnerArguments(argv: readonly string[]): RunnerArguments {
  const argument = (flag: string): string | undefined => {
    const index = argv.indexOf(flag);
    return index === -1 ? undefined : argv[index + 1];
  };
  const socketPath = argument('--socket');
  if (socketPath === undefined) {
    throw new Error('Cannot start the Runner: found no --socket, expected --socket <path>');
  }
  const port = Number(argument('--port') ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(
      `Cannot start the Runner: found --port ${argument('--port')}, expected 0 … 65535`,
    );
  }
  return { socketPath, host: argument('--host') ?? '127.0.0.1', port };
}
