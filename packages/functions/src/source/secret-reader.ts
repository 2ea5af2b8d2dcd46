import type { Client } from '@fnlet/client';
import type { SecretValues, SourceAccess } from '@fnlet/executor';
import { type Secret, secretType } from '../core-kinds.ts';
import { FunctionsError } from '../functions-error.ts';

/** Reads the Secrets of sources when something has to be fetched, and keeps none. */
export class SecretReader {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** What a source that names this Secret, or none, is fetched with. */
  accessTo(namespace: string, name: string | undefined): SourceAccess {
    if (name === undefined) return { scope: '', readSecret: async () => undefined };
    return {
      scope: `${namespace}/${name}`,
      readSecret: (signal) => this.#read(namespace, name, signal),
    };
  }

  /** @throws FunctionsError `SourceSecretNotFound` */
  async #read(namespace: string, name: string, signal: AbortSignal): Promise<SecretValues> {
    const secrets = this.#client.of<Secret>(secretType);
    const secret = await secrets.tryGet({ namespace, name }, { signal });
    if (secret === undefined) {
      const message = `Cannot read the source: Secret "${name}" does not exist, expected it there`;
      const remedy = 'Create the Secret; the Function notices by itself.';
      throw new FunctionsError('SourceSecretNotFound', message, { retry: 'later', remedy });
    }
    return Object.fromEntries(
      Object.entries(secret.data ?? {}).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString('utf8'),
      ]),
    );
  }
}
