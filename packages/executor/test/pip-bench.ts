import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { silentLogger, systemClock } from '@fnlet/base';
import {
  createDependencyInstaller,
  type DependencyInstaller,
} from '../src/dependency-installer.ts';
import type { Environment } from '../src/npm-command.ts';
import type { PythonProgram } from '../src/pip-command.ts';
import type { PipDependencies } from '../src/pip-installer.ts';
import { parseRequirements } from '../src/pip-requirements.ts';
import { createReaper } from '../src/reaper.ts';

/** A Python of this machine that has pip; `undefined` when there is none. */
export const python: PythonProgram | undefined = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((path) => ['3.11', '3.12', '3.13', '3.14'].map((name) => join(path, `python${name}`)))
  .filter((program) => existsSync(program) && hasPip(program))
  .map((program) => ({ name: basename(program), program }))[0];

/** Options of a test that needs Python and its pip. */
export const needsPip: { readonly skip: string | false } = {
  skip: python === undefined ? 'no Python 3.11 or newer with pip on the path' : false,
};

function hasPip(program: string): boolean {
  try {
    execFileSync(program, ['-I', '-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface PipBench extends AsyncDisposable {
  readonly directory: string;
  /** Where packages are found, and nowhere else. */
  readonly wheels: string;
  readonly installer: DependencyInstaller;
  /** Writes a wheel of one module, whose `name` is the text. */
  addWheel(name: string, options?: { readonly version?: string; readonly needs?: string }): void;
  /** An installer on the same directory, as after a restart. */
  reopen(environment?: Environment): DependencyInstaller;
}

const wheelScript = `
import sys, zipfile
path, name, version, needs = sys.argv[1:]
info = f"{name}-{version}.dist-info"
requires = f"Requires-Dist: {needs}\\n" if needs else ""
with zipfile.ZipFile(f"{path}/{name}-{version}-py3-none-any.whl", "w") as wheel:
    wheel.writestr(f"{name}.py", f"name = {name + ' ' + version!r}\\n")
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n{requires}")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/RECORD", "")
`;

/** A real pip on a directory of its own, with an index that is a directory of wheels. */
export function createPipBench(environment?: Environment): PipBench {
  const root = mkdtempSync(join(tmpdir(), 'pip-test-'));
  const directory = join(root, 'dependencies');
  const wheels = join(root, 'wheels');
  mkdirSync(wheels);
  const reaper = createReaper({ clock: systemClock, logger: silentLogger });
  const offline = { PATH: '/usr/bin:/bin', PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels };
  const reopen: PipBench['reopen'] = (changed = environment ?? offline) =>
    createDependencyInstaller({ directory, environment: changed, reaper, clock: systemClock });
  return {
    directory,
    wheels,
    installer: reopen(),
    reopen,
    addWheel(name, { version = '1.0', needs = '' } = {}) {
      execFileSync(python?.program ?? '', ['-c', wheelScript, wheels, name, version, needs]);
    },
    async [Symbol.asyncDispose]() {
      await reaper.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What a function with these requirements asks for. */
export function requirementsOf(text: string): PipDependencies {
  const requirements = parseRequirements(text, 'requirements.txt');
  if (requirements === undefined || python === undefined) throw new Error('expected some, and pip');
  return { requirements, python };
}
