/**
 * Credentials from a program of the cloud's vendor (client.authentication.k8s.io, v1 and v1beta1).
 *
 * I1. The program runs once for however many wait for it.
 *     Who is aborted stops waiting; the program goes on for the others.
 * I2. What it says serves until it expires or the server refuses it; then it runs again.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Clock, errorMessage, hasCode, isJsonObject } from '@fnlet/base';
import type { CredentialSource, Credentials } from './credentials.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { limits } from './limits.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface ExecCredentialsOptions {
  readonly plugin: ExecPlugin;
  /** The environment that the program gets besides its own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** @throws KubeconfigError `Credentials`, from `read` */
export function openExecCredentials(options: ExecCredentialsOptions): CredentialSource {
  return new ExecCredentials(options);
}

interface Answer {
  readonly credentials: Credentials;
  /** In milliseconds since the epoch. */
  readonly expires: number;
}

class ExecCredentials implements CredentialSource {
  readonly #options: ExecCredentialsOptions;
  #answer: Promise<Answer> | undefined;

  constructor(options: ExecCredentialsOptions) {
    this.#options = options;
  }

  async read(signal?: AbortSignal): Promise<Credentials> {
    const asked = this.#answer ?? this.#ask();
    const { credentials, expires } = await unlessAborted(asked, signal);
    if (this.#options.clock.now() < expires) return credentials;
    if (this.#answer === asked) this.#answer = undefined;
    return (await unlessAborted(this.#answer ?? this.#ask(), signal)).credentials;
  }

  refuse(): void {
    this.#answer = undefined;
  }

  #ask(): Promise<Answer> {
    const answer = askPlugin(this.#options);
    this.#answer = answer;
    answer.catch(() => {
      // What failed is asked for again the next time.
      if (this.#answer === answer) this.#answer = undefined;
    });
    return answer;
  }
}

const run = promisify(execFile);

async function askPlugin({ plugin, env }: ExecCredentialsOptions): Promise<Answer> {
  const { apiVersion, command, args, cluster } = plugin;
  const spec = { interactive: false, ...(cluster === undefined ? {} : { cluster }) };
  const info = { apiVersion, kind: 'ExecCredential', spec };
  try {
    const running = run(command, [...args], {
      env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      timeout: limits.execTimeoutMs,
      maxBuffer: limits.execOutputMax,
    });
    // Nobody is there to answer a question: one that asks is told so at once.
    running.child.stdin?.on('error', () => undefined).end();
    const { stdout } = await running;
    return parseAnswer(plugin, stdout);
  } catch (error) {
    throw error instanceof KubeconfigError ? error : notRun(plugin, error);
  }
}

function parseAnswer(plugin: ExecPlugin, stdout: string): Answer {
  const credential = tryParse(stdout);
  const status = isJsonObject(credential) && isJsonObject(credential.status) && credential.status;
  if (!isJsonObject(credential) || credential.kind !== 'ExecCredential' || status === false) {
    throw failed(plugin, 'found an answer that is not an ExecCredential with a status');
  }
  if (credential.apiVersion !== plugin.apiVersion) {
    throw failed(plugin, `found apiVersion ${JSON.stringify(credential.apiVersion)}`);
  }
  const credentials = {
    token: textOf(status.token),
    certData: textOf(status.clientCertificateData),
    keyData: textOf(status.clientKeyData),
  };
  const { token, certData, keyData } = credentials;
  if ((certData === undefined) !== (keyData === undefined)) {
    throw failed(plugin, 'found one of clientCertificateData and clientKeyData');
  }
  if (token === undefined && certData === undefined) {
    throw failed(plugin, 'found neither a token nor a client certificate');
  }
  const expires = Date.parse(textOf(status.expirationTimestamp) ?? '');
  return { credentials, expires: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function notRun(plugin: ExecPlugin, error: unknown): KubeconfigError {
  if (hasCode(error, 'ENOENT')) {
    const remedy = plugin.installHint ?? `Install ${plugin.command}, or add it to PATH`;
    return failed(plugin, 'found no such program', { cause: error, remedy });
  }
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  const said = stderr === '' ? errorMessage(error) : stderr.slice(-limits.failureQuoteMax);
  return failed(plugin, `it failed: ${said}`, { cause: error });
}

function failed(
  { command, apiVersion }: ExecPlugin,
  found: string,
  options: { readonly cause?: unknown; readonly remedy?: string } = {},
): KubeconfigError {
  const expected = `an ExecCredential of ${apiVersion}`;
  const message = `Cannot get credentials from "${command}": ${found}, expected ${expected}`;
  return new KubeconfigError('Credentials', message, { retry: 'later', ...options });
}
