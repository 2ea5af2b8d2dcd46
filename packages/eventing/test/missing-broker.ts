/**
 * Why a test with a real broker cannot run here; `false` when it can. With `FNLET_ALL_BROKERS`, as in
 * CI, it runs all the same, and fails: there a broker must not be missing.
 */
export function missingBroker(isThere: boolean, name: string): string | false {
  if (isThere || process.env.FNLET_ALL_BROKERS !== undefined) return false;
  return `${name} is not there; .ci/clients fetches it`;
}
