import { KeyedHash } from './keyed-hash.ts';
import { policyLimits } from './policy-limits.ts';

/**
 * What was found out, or is being found out, about credentials that are dear to check, by a keyed
 * hash of them. Of more than `rememberedCredentialsMax` those are forgotten that were found out
 * longest ago.
 */
export class RememberedCredentials<Finding> {
  readonly #keyed = new KeyedHash();
  readonly #findings = new Map<string, Finding>();

  /** What is remembered about them, and the ways to remember something else, or nothing. */
  look(credentials: string): {
    readonly finding: Finding | undefined;
    readonly remember: (finding: Finding) => void;
    readonly forget: () => void;
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
    const forget = (): void => void this.#findings.delete(mark);
    return { finding: this.#findings.get(mark), remember, forget };
  }
}
