import { KeyedHash } from './keyed-hash.ts';
import { policyLimits } from './policy-limits.ts';

/**
 * What was found out about credentials that are dear to check, by a keyed hash of them. Of more
 * than `rememberedCredentialsMax` those are forgotten that were found out longest ago.
 */
export class RememberedCredentials<Finding> {
  readonly #keyed = new KeyedHash();
  readonly #findings = new Map<string, Finding>();

  /** What is remembered about them, and the way to remember something else. */
  look(credentials: string): {
    readonly finding: Finding | undefined;
    readonly remember: (finding: Finding) => void;
  } {
    const mark = this.#keyed.of(Buffer.from(credentials));
    const remember = (finding: Finding): void => {
      this.#findings.delete(mark);
      const [oldest] = this.#findings.keys();
      if (this.#findings.size >= policyLimits.rememberedCredentialsMax && oldest !== undefined) {
        this.#findings.delete(oldest);
      }
      this.#findings.set(mark, finding);
    };
    return { finding: this.#findings.get(mark), remember };
  }
}
