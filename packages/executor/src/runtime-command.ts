/** How the Runner of one runtime is started. */
export interface RuntimeCommand {
  /** As Functions name it, such as `nodejs24`. */
  readonly name: string;
  /** Absolute path of the program, then its fixed arguments. */
  readonly command: readonly string[];
  /** Runners that stay warm when nothing was taken for long. Default 1. */
  readonly warmMin?: number;
}
