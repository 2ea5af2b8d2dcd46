/** How the Runner of one runtime is started. */
export interface RuntimeCommand {
  /** As `resolveRuntime` gives it, such as `nodejs24`. */
  readonly name: string;
  /** Absolute path of the program, then its fixed arguments. */
  readonly command: readonly string[];
  /** The whole environment of the Runner, until it has code. Default: nothing. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runners that stay warm when nothing was taken for long. Default 1. */
  readonly warmMin?: number;
}

/** How the Runners of the runtimes that can be started now are started, by name. */
export type RuntimeCommands = Pick<ReadonlyMap<string, RuntimeCommand>, 'get'>;
