/** A release of Python, as somebody installed it on this machine. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '@fnlet/base';
import { isProgram, searchPath } from './find-program.ts';
import { readProgramOutput } from './program-output.ts';
import type { RuntimeCommand } from './runtime-command.ts';
import { RuntimeError } from './runtime-error.ts';
import type { RuntimeLook, RuntimeSource } from './runtime-source.ts';
import type { WorkCaller } from './shared-work.ts';

export interface PythonRuntimeOptions {
  /** Such as `python3.12`, which is also the name of its program. */
  readonly name: string;
  /** Arguments that start the Runner. */
  readonly runner: readonly string[];
  /** The `PATH` to look on. */
  readonly path: string | undefined;
}

// The program says where it really is: what is on the path may be a script that chooses one.
const whoAreYou = 'import sys; print("python%d.%d" % sys.version_info[:2]); print(sys.executable)';

/** Looks again as long as it is not there: somebody may install it. */
export function pythonRuntime({ name, runner, path }: PythonRuntimeOptions): RuntimeSource {
  let known: RuntimeCommand | undefined;
  return {
    look: () => lookFor(name, path),
    async prepare({ signal }: Required<WorkCaller>) {
      if (known !== undefined && isProgram(known.command[0] ?? '')) return known;
      const program = await findPython(name, path, signal);
      known = { name, command: [program, ...runner] };
      return known;
    },
  };
}

function lookFor(name: string, path: string | undefined): RuntimeLook {
  const [program] = candidates(name, path);
  if (program !== undefined) {
    return { state: 'found', program, version: name.replace('python', '') };
  }
  return { state: 'absent' };
}

async function findPython(
  name: string,
  path: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  for (const candidate of candidates(name, path)) {
    const said = await readProgramOutput(candidate, ['-I', '-c', whoAreYou], signal).catch(
      () => '',
    );
    signal.throwIfAborted();
    const [version, program = ''] = said.split('\n');
    if (version === name && isProgram(program)) return program;
  }
  throw notFound(name, path);
}

/** Programs that are this Python by their names, those first that stand first on the path. */
function candidates(name: string, path: string | undefined): readonly string[] {
  const directories = searchPath(path).flatMap(behindShims);
  const named = directories.map((directory) => join(directory, name));
  const unnamed = directories.map((directory) => join(directory, 'python3'));
  return [...named, ...unnamed.filter((program) => realName(program) === name)].filter(isProgram);
}

// pyenv puts scripts on the path which choose by the directory that they are called in. What they
// choose from lies beside them.
function behindShims(directory: string): readonly string[] {
  if (basename(directory) !== 'shims') return [directory];
  const versions = join(dirname(directory), 'versions');
  return existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, 'bin'))
    : [directory];
}

function realName(program: string): string | undefined {
  try {
    return basename(realpathSync(program));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function notFound(name: string, path: string | undefined): RuntimeError {
  const others = searchPath(path)
    .flatMap(behindShims)
    .flatMap((directory) => (existsSync(directory) ? readdirSync(directory) : []))
    .filter((file) => /^python\d\.\d+$/.test(file));
  const found = [...new Set(others)].sort().join(', ') || 'no Python';
  const remedy =
    `Install it, for example with "uv python install ${name.replace('python', '')}" or the ` +
    'package manager of the system; it is looked for again by itself';
  const message = `Cannot find ${name}: found ${found} on the path, expected ${name}. ${remedy}`;
  return new RuntimeError('RuntimeNotFound', message, { retry: 'later', remedy });
}
