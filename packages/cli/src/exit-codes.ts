/** What the exit code of `fnlet` says; documented in docs/cli.md. */
export const exitCodes = {
  ok: 0,
  /** The command was understood but could not be carried out. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The object that the command names does not exist. */
  notFound: 3,
  /** The kubeconfig leads to no API, none answers there, or it refused the credentials. */
  unreachable: 4,
  /** What was waited for did not happen in time. */
  timedOut: 5,
  /** `call`: the function answered with a status of 400 or above. */
  callFailed: 6,
  /** `deploy`, `dev`, `status`: what was looked at is not ready; the reason was printed. */
  notReady: 7,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
