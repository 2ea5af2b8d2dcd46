import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FunctionSource, RuntimeObject } from '@fnlet/api';
import type { KubeObject } from '@fnlet/machinery';
import { CliError } from './cli-error.ts';
import { decideRuntime } from './decide-runtime.ts';
import { exitCodes } from './exit-codes.ts';
import type { SourceFlags } from './flags.ts';
import { type PackedSource, packSource } from './packed-source.ts';
import { readSource } from './source-files.ts';

/** What `deploy` applies. */
export interface Manifests {
  readonly function: KubeObject;
  /** The source as it is in the Function. */
  readonly source: FunctionSource;
  /** What the source refers to; to be uploaded first, and disposed of. */
  readonly packed: PackedSource | undefined;
  /** Holds the values of `--from-literal` and `--from-env-file`, if there are any. */
  readonly secret: KubeObject | undefined;
}

export interface ManifestRequest {
  readonly name: string;
  readonly namespace: string;
  /** File or directory, relative to `workingDirectory`. */
  readonly source: string;
  readonly flags: SourceFlags;
  /** Whether its code is being worked on: edits are to find a Pod that waits for them. */
  readonly development?: boolean;
  /** What there is to run it on, for flags that do not say. */
  readonly runtimes: readonly RuntimeObject[];
  readonly workingDirectory: string;
  /** See `readSource`. */
  readonly ownOutput: ReadonlySet<string>;
}

/** Reads the source and builds the objects that say what the flags ask for. */
export async function buildManifests(request: ManifestRequest): Promise<Manifests> {
  const { name, namespace, flags, workingDirectory, ownOutput } = request;
  const local = await readSource(resolve(workingDirectory, request.source), ownOutput);
  const names = local.kind === 'files' ? Object.keys(local.files) : local.names;
  const secretValues = await readSecretValues(flags, workingDirectory);
  const dependencies = await readDependencies(flags, workingDirectory);
  const secretName = `${name}-env`;
  const hasSecret = Object.keys(secretValues).length > 0;
  // Last: what was packed is the caller's to remove.
  const packed = local.kind === 'tree' ? await packSource(local) : undefined;
  const source =
    local.kind === 'files' ? { files: local.files } : { artifact: `sha256:${packed?.digest}` };
  const spec = {
    runtime: flags.runtime ?? decideRuntime(names, request.runtimes),
    handler: flags.handler,
    source,
    ...dependencies,
    ...(flags.env.length === 0 ? {} : { env: parseEnv(flags.env) }),
    ...(hasSecret ? { envFrom: [{ secretRef: { name: secretName } }] } : {}),
    ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
    ...scaleOf(flags),
    ...(request.development === true ? { development: true } : {}),
  };
  return {
    function: {
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Function',
      metadata: { name, namespace },
      spec,
    },
    source,
    packed,
    secret: hasSecret
      ? {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: secretName, namespace },
          type: 'Opaque',
          data: Object.fromEntries(
            Object.entries(secretValues).map(([key, value]) => [key, toBase64(value)]),
          ),
        }
      : undefined,
  };
}

/** As with a shell or Docker, the last value of a variable holds. */
export function parseEnv(pairs: readonly string[]): Variable[] {
  const values = new Map(pairs.map((pair) => parsePair('--env', pair)).map((v) => [v.name, v]));
  return [...values.values()];
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function scaleOf({ min, max, idleAfter }: SourceFlags): { scale?: Record<string, unknown> } {
  const scale = {
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(idleAfter === undefined ? {} : { idleAfter }),
  };
  return Object.keys(scale).length === 0 ? {} : { scale };
}

async function readDependencies(
  { dependencies }: SourceFlags,
  workingDirectory: string,
): Promise<{ dependencies?: string }> {
  if (dependencies === undefined) return {};
  return {
    dependencies: await readText('--dependencies', resolve(workingDirectory, dependencies)),
  };
}

async function readSecretValues(
  { fromLiteral, fromEnvFile }: SourceFlags,
  workingDirectory: string,
): Promise<Record<string, string>> {
  const fromFile =
    fromEnvFile === undefined
      ? []
      : parseEnvFile(await readText('--from-env-file', resolve(workingDirectory, fromEnvFile)));
  const pairs = [...fromFile, ...fromLiteral.map((pair) => parsePair('--from-literal', pair))];
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** `KEY=VALUE`; the value is everything after the first `=`. */
export function parsePair(flag: string, pair: string): Variable {
  const equals = pair.indexOf('=');
  const name = pair.slice(0, Math.max(equals, 0));
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) {
    throw new CliError(
      exitCodes.usage,
      `Cannot use ${flag} "${pair}": expected KEY=VALUE with a variable name before the "="`,
    );
  }
  return { name, value: pair.slice(equals + 1) };
}

/** Lines `KEY=VALUE`; blank lines and lines that start with `#` are left out. */
export function parseEnvFile(text: string): Variable[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
    .map((line) => parsePair('--from-env-file line', line));
}

async function readText(flag: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CliError(exitCodes.usage, `Cannot read the file of ${flag}: "${path}"`, { cause });
  });
}
