import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage, isJsonObject, type JsonObject } from '@fnlet/base';
import { pythonRunnerArguments } from '@fnlet/executor';
import {
  type DefinitionManifest,
  done,
  type Kind,
  kind,
  type Operator,
  type OperatorOptions,
  operator,
  type View,
  viewOf,
  type Watch,
} from '@fnlet/sdk/operator';
import type { CliContext } from '../../cli-context.ts';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { LocalTree } from '../../source-files.ts';
import type { NamedOperator } from './plan-operator-manifests.ts';

/** What a Python file declares, as if it was written in TypeScript; its functions answer nothing. */
export interface PythonModule {
  readonly operators: readonly NamedOperator[];
  readonly tree: LocalTree;
  /** The version of the Python that has read it, such as `python3.13`. */
  readonly runtime: string;
  /** The requirements.txt beside it, if there is one. */
  readonly dependencies: string | undefined;
}

/**
 * Runs a Python file, for its declarations, on the machine's own Python.
 *
 * @throws CliError when there is no Python 3.11 or newer, or the file does not load
 */
export async function readPythonModule(
  file: string,
  { env, workingDirectory }: Pick<CliContext, 'env' | 'workingDirectory'>,
): Promise<PythonModule> {
  const path = resolve(workingDirectory, file);
  const declared = await declarationsOf(file, path, env);
  const { python, operators, root, files } = declared;
  if (!Array.isArray(operators) || !Array.isArray(files) || typeof root !== 'string') {
    throw unreadable(file, 'it declares nothing that can be read');
  }
  const requirements = join(dirname(path), 'requirements.txt');
  return {
    operators: operators.map((one) => readOperator(file, one)),
    tree: { kind: 'tree', root, names: files.map(String) },
    runtime: `python${python}`,
    dependencies: await readFile(requirements, 'utf8').catch(() => undefined),
  };
}

const pythons = ['python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3'];

async function declarationsOf(
  file: string,
  path: string,
  env: CliContext['env'],
): Promise<JsonObject> {
  const runner = pythonRunnerArguments().at(-1) ?? '';
  const program = join(dirname(runner), 'declare_operators.py');
  const python = await findPython(env);
  const args = ['-I', '-X', 'utf8', program, path];
  const options = { env: { ...env }, maxBuffer: outputBytesMax, timeout: declareMs };
  const run = promisify(execFile)(python, args, options);
  const { stdout } = await run.catch((cause: unknown) => {
    throw unreadable(file, lastLine(cause), cause);
  });
  return asRecord(file, JSON.parse(stdout));
}

/** The first that is there and new enough: what only manages versions may stand under its name. */
async function findPython(env: CliContext['env']): Promise<string> {
  const asked = ['-I', '-c', 'import sys; print(sys.version_info >= (3, 11))'];
  const { FNLET_PYTHON: named } = env;
  for (const python of named === undefined ? pythons : [named]) {
    const answer = await promisify(execFile)(python, asked, { env: { ...env } }).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
    if (answer === 'True') return python;
  }
  const found = `found none among ${named ?? pythons.join(', ')}`;
  throw new CliError(exitCodes.failed, `Cannot read a file in Python: ${found}`, {
    remedy: 'Install Python 3.11 or newer, or name one in FNLET_PYTHON',
  });
}

/** A file of declarations runs in less; one that works while it is loaded is to be told so. */
const declareMs = 30_000;
const outputBytesMax = 16 * 1024 * 1024;

// The end of a traceback says what happened.
function lastLine(error: unknown): string {
  const stderr = isJsonObject(error) ? String(error.stderr ?? '') : '';
  return stderr.trim().split('\n').at(-1) || errorMessage(error);
}

function readOperator(file: string, value: unknown): NamedOperator {
  const { exportName, for: of, owns, watches, cleanup, ...terms } = asRecord(file, value);
  const options: OperatorOptions<Readonly<ReturnType<Kind['of']>>> = {
    ...termsOf(terms),
    owns: listOf(owns).map((one) => readView(file, one)),
    watches: listOf(watches).map((one) => readWatch(file, one)),
    reconcile: () => ({}),
    ...(cleanup === true ? { cleanup: () => done() } : {}),
  };
  return { exportName: String(exportName), operator: operator(readKind(file, of), options) };
}

// As Python's door has written them: the kind Operator has the last word on what they may be.
function termsOf(terms: JsonObject): Partial<Operator>;
function termsOf(terms: JsonObject): object {
  return terms;
}

function readKind(file: string, value: unknown): Kind {
  const { group, version, kind: word, plural, scope, crd } = asRecord(file, value);
  const made = kind({
    ...{ group: String(group), version: String(version), kind: String(word) },
    ...{ plural: String(plural), scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced' },
  });
  return isDefinition(crd) ? Object.assign(made, { crd }) : made;
}

function readView(file: string, value: unknown): View {
  const { kind: of, fields, labels } = asRecord(file, value);
  const whole = viewOf(readKind(file, of));
  const kept = Array.isArray(fields) ? whole.keep(...fields.map(String)) : whole;
  return typeof labels === 'string' ? kept.select(labels) : kept;
}

function readWatch(file: string, value: unknown): Watch {
  const { expression } = asRecord(file, value);
  const view = readView(file, value);
  return view.mapTo(typeof expression === 'string' ? expression : () => undefined);
}

function isDefinition(value: unknown): value is DefinitionManifest {
  return isJsonObject(value) && value.kind === 'CustomResourceDefinition';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asRecord(file: string, value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw unreadable(file, `found ${JSON.stringify(value)} among its declarations`);
}

function unreadable(file: string, why: string, cause?: unknown): CliError {
  return new CliError(exitCodes.failed, `Cannot load "${file}": ${why}`, { cause });
}
