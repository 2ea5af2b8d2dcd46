/**
 * A connection of a source to NATS, and what the status tells of it.
 *
 * I1. The library finds its way back with what it was given, for as long as it takes. So while the
 *     server is gone it is looked at who would get in now: that tells why nobody does, and a Secret
 *     that was changed meanwhile ends the connection, which is then made with what it has now.
 */
import type { NatsSource } from '@fnlet/api';
import { errorMessage, sleep } from '@fnlet/base';
import type { Authenticator, ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import type { SourceContext } from '../source.ts';
import { SourceError } from '../source-error.ts';
import { natsLimits } from './limits.ts';

/** A library that is loaded with the first source that needs it. */
export type NatsModule = typeof import('@nats-io/transport-node');

interface LinkParts {
  readonly spec: NatsSource;
  readonly context: SourceContext;
  readonly nats: NatsModule;
}

export class NatsLink implements AsyncDisposable {
  readonly connection: NatsConnection;
  #isConnected = true;
  /** What comes from here on is read: before that nothing is told, for users rely on it. */
  #isReading = false;
  #lag: number | undefined;
  #trouble: string | undefined;
  /** Why the server is gone, where that was found out. */
  #why: string | undefined;
  /** Whether it has ended because the Secret is another one (I1). */
  #isOutdated = false;
  /** While it is looked at why the server is gone. */
  #looking: Promise<void> | undefined;
  readonly #closing = new AbortController();
  readonly #values: string;
  readonly #parts: LinkParts;

  private constructor(connection: NatsConnection, values: string, parts: LinkParts) {
    this.connection = connection;
    this.#values = values;
    this.#parts = parts;
    void this.#follow();
  }

  /** @throws SourceError `Unreachable`, `Forbidden` */
  static async open(spec: NatsSource, context: SourceContext): Promise<NatsLink> {
    const parts = { spec, context, nats: await import('@nats-io/transport-node') };
    const identity = await readIdentity(parts);
    const connection = await dial(parts, identity, {
      // For as long as the Trigger is there.
      maxReconnectAttempts: -1,
      reconnectTimeWait: natsLimits.reconnectMs,
    });
    return new NatsLink(connection, identity.values, parts);
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
    if (this.#isOutdated) {
      const { secret = '' } = this.#parts.spec;
      throw new SourceError('Outdated', `Secret "${secret}" was changed: it is connected anew`);
    }
    const code = error ? 'Forbidden' : 'Unreachable';
    const why = error ? `: ${error.message}` : '';
    throw new SourceError(code, `NATS has closed the connection${why}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What is acknowledged is to be known there; without a connection it comes again.
    if (this.#isConnected) await this.connection.flush().catch(() => {});
    await this.connection.close();
    this.#closing.abort();
    await this.#looking;
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.#isConnected = false;
      else if (type === 'reconnect') this.#isConnected = true;
      else continue;
      if (this.#isConnected) this.#why = undefined;
      else this.#looking ??= this.#look(this.#closing.signal);
      this.#tell();
    }
  }

  /** I1. A server that lets one in, and out at once, is not back. */
  async #look(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts.context;
    while (await sleep(clock, natsLimits.lookMs, signal)) {
      if (this.#isConnected) break;
      let why: string | undefined;
      let isChanged = false;
      try {
        const identity = await readIdentity(this.#parts);
        isChanged = identity.values !== this.#values;
        const connection = await dial(this.#parts, identity, { reconnect: false });
        await connection.close();
      } catch (error) {
        why = errorMessage(error);
      }
      if (signal.aborted) return;
      if (isChanged) {
        this.#isOutdated = true;
        await this.connection.close();
        return;
      }
      this.#why = this.#isConnected ? undefined : why;
      this.#tell();
    }
    this.#looking = undefined;
  }

  #tell(): void {
    if (!this.#isReading) return;
    const why = this.#why === undefined ? '' : `: ${this.#why}`;
    const gone = `The server is gone; it is tried again${why}`;
    const trouble = this.#isConnected ? this.#trouble : gone;
    this.#parts.context.report({
      connected: this.#isConnected,
      ...(trouble === undefined ? {} : { trouble }),
      ...(this.#lag === undefined ? {} : { lag: this.#lag }),
    });
  }
}

interface Identity {
  readonly authenticator?: Authenticator;
  readonly tls?: Readonly<Record<string, string>>;
  /** All that it was read from, to be compared. */
  readonly values: string;
}

async function dial(
  { spec, context, nats }: LinkParts,
  { authenticator, tls }: Identity,
  options: ConnectionOptions,
): Promise<NatsConnection> {
  try {
    return await nats.connect({
      ...options,
      servers: [...spec.servers],
      name: `fnlet trigger ${context.namespace}/${context.name}`,
      timeout: natsLimits.connectMs,
      ...(authenticator === undefined ? {} : { authenticator }),
      ...(tls === undefined ? {} : { tls }),
    });
  } catch (cause) {
    const isForbidden =
      cause instanceof nats.AuthorizationError ||
      cause instanceof nats.UserAuthenticationExpiredError;
    const code = isForbidden ? 'Forbidden' : 'Unreachable';
    const servers = spec.servers.join(', ');
    throw new SourceError(code, `Cannot connect to ${servers}: ${errorMessage(cause)}`, { cause });
  }
}

async function readIdentity({ spec: { secret }, context, nats }: LinkParts): Promise<Identity> {
  if (secret === undefined) return { values: '' };
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
  return {
    ...(authenticator === undefined ? {} : { authenticator }),
    ...(isEncrypted ? { tls } : {}),
    values: JSON.stringify({ user, password, token, nkey, creds, ...tls }),
  };
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
