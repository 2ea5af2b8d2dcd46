import type { KafkaSasl, KafkaSource } from '@fnlet/api';
import type { SourceContext } from '../source.ts';
import { SourceError } from '../source-error.ts';

/** How a client shows brokers who it is, and what it believes of them. */
export interface KafkaIdentity {
  readonly sasl?: {
    readonly mechanism: KafkaSasl;
    readonly username: string;
    readonly password: string;
  };
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** @throws SourceError `Forbidden` when the Secret lacks what the source needs: it may come later */
export async function readKafkaIdentity(
  { secret, sasl: mechanism, tls }: KafkaSource,
  context: SourceContext,
): Promise<KafkaIdentity> {
  if (secret === undefined) return tls === true ? { tls: {} } : {};
  const read = (key: string): Promise<string | undefined> => context.secret(secret, key);
  const [username, password] = await Promise.all(['user', 'password'].map(read));
  const [ca, cert, key] = await Promise.all(['ca.crt', 'tls.crt', 'tls.key'].map(read));
  if (mechanism !== undefined && (username === undefined || password === undefined)) {
    throw new SourceError(
      'Forbidden',
      `Cannot use Secret "${secret}" for ${mechanism}: expected the keys user and password`,
    );
  }
  const isEncrypted = tls ?? (ca !== undefined || cert !== undefined);
  return {
    ...(mechanism === undefined || username === undefined || password === undefined
      ? {}
      : { sasl: { mechanism, username, password } }),
    ...(isEncrypted
      ? {
          tls: {
            ...(ca === undefined ? {} : { ca }),
            ...(cert === undefined ? {} : { cert }),
            ...(key === undefined ? {} : { key }),
          },
        }
      : {}),
  };
}
