/** A connection of a source to NATS, and what the status tells of it. */
import type { NatsSource } from '@fnlet/api';
import { errorMessage } from '@fnlet/base';
import type { Authenticator, NatsConnection } from '@nats-io/transport-node';
import type { SourceContext } from '../source.ts';
import { SourceError } from '../source-error.ts';
import { natsLimits } from './limits.ts';

/** A library that is loaded with the first source that needs it. */
export type NatsModule = typeof import('@nats-io/transport-node');

export class NatsLink implements AsyncDisposable {
  readonly connection: NatsConnection;
  #isConnected = true;
  /** What comes from here on is read: before that nothing is told, for users rely on it. */
  #isReading = false;
  #lag: number | undefined;
  #trouble: string | undefined;
  readonly #context: SourceContext;

  private constructor(connection: NatsConnection, context: SourceContext) {
    this.connection = connection;
    this.#context = context;
    void this.#follow();
  }

  /** @throws SourceError `Unreachable`, `Forbidden` */
  static async open(spec: NatsSource, context: SourceContext): Promise<NatsLink> {
    const nats = await import('@nats-io/transport-node');
    const { authenticator, tls } = await readIdentity(spec, context, nats);
    try {
      const connection = await nats.connect({
        servers: [...spec.servers],
        name: `fnlet trigger ${context.namespace}/${context.name}`,
        timeout: natsLimits.connectMs,
        // For as long as the Trigger is there.
        maxReconnectAttempts: -1,
        reconnectTimeWait: natsLimits.reconnectMs,
        ...(authenticator === undefined ? {} : { authenticator }),
        ...(tls === undefined ? {} : { tls }),
      });
      return new NatsLink(connection, context);
    } catch (cause) {
      const isForbidden =
        cause instanceof nats.AuthorizationError ||
        cause instanceof nats.UserAuthenticationExpiredError;
      const code = isForbidden ? 'Forbidden' : 'Unreachable';
      const servers = spec.servers.join(', ');
      throw new SourceError(code, `Cannot connect to ${servers}: ${errorMessage(cause)}`, {
        cause,
      });
    }
  }

  /** The server has said that it will bring the messages. */
  begun(): void {
    this.#isReading = true;
    this.#tell();
  }

  /** How many messages wait at the server, and what else users should know. */
  report({ lag, trouble }: { readonly lag?: number; readonly trouble?: string }): void {
    if (lag !== undefined) this.#lag = lag;
    if (trouble !== undefined) this.#trouble = trouble;
    this.#tell();
  }

  /** Rejects when the connection has ended for good, which it does by itself only for a reason. */
  async ended(): Promise<never> {
    const error = await this.connection.closed();
    const code = error ? 'Forbidden' : 'Unreachable';
    const why = error ? `: ${error.message}` : '';
    throw new SourceError(code, `NATS has closed the connection${why}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What is acknowledged is to be known there; without a connection it comes again.
    if (this.#isConnected) await this.connection.flush().catch(() => {});
    await this.connection.close();
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.#isConnected = false;
      else if (type === 'reconnect') this.#isConnected = true;
      else continue;
      this.#tell();
    }
  }

  #tell(): void {
    if (!this.#isReading) return;
    const trouble = this.#isConnected ? this.#trouble : 'The server is gone; it is tried again';
    this.#context.report({
      connected: this.#isConnected,
      ...(trouble === undefined ? {} : { trouble }),
      ...(this.#lag === undefined ? {} : { lag: this.#lag }),
    });
  }
}

interface Identity {
  readonly authenticator: Authenticator | undefined;
  readonly tls: Readonly<Record<string, string>> | undefined;
}

async function readIdentity(
  { secret }: NatsSource,
  context: SourceContext,
  nats: NatsModule,
): Promise<Identity> {
  if (secret === undefined) return { authenticator: undefined, tls: undefined };
  const read = (key: string): Promise<string | undefined> => context.secret(secret, key);
  const [user, password, token, nkey, creds] = await Promise.all(
    ['user', 'password', 'token', 'nkey', 'creds'].map(read),
  );
  const [ca, cert, key] = await Promise.all(['ca.crt', 'tls.crt', 'tls.key'].map(read));
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  const isEncrypted = Object.keys(tls).length > 0;
  const authenticator = authenticatorOf({ user, password, token, nkey, creds }, nats);
  if (authenticator === undefined && !isEncrypted) {
    throw new SourceError(
      'Forbidden',
      `Cannot use Secret "${secret}": found none of the keys user, token, nkey, creds, ca.crt ` +
        'and tls.crt, expected one',
    );
  }
  return { authenticator, tls: isEncrypted ? tls : undefined };
}

type Credentials = Readonly<
  Record<'user' | 'password' | 'token' | 'nkey' | 'creds', string | undefined>
>;

function authenticatorOf(
  { user, password, token, nkey, creds }: Credentials,
  nats: NatsModule,
): Authenticator | undefined {
  if (creds !== undefined) return nats.credsAuthenticator(Buffer.from(creds));
  if (nkey !== undefined) return nats.nkeyAuthenticator(Buffer.from(nkey.trim()));
  if (token !== undefined) return nats.tokenAuthenticator(token);
  return user === undefined ? undefined : nats.usernamePasswordAuthenticator(user, password);
}
