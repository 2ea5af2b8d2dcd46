import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { temporaryName } from './installer-run.ts';
import type { Environment } from './npm-command.ts';

/** A Python, and how packages are installed for it. */
export interface PythonProgram {
  /** Such as `python3.12`; packages differ by it. */
  readonly name: string;
  /** Absolute path. */
  readonly program: string;
}

/** The commands of one package manager for Python, each a program with its arguments. */
export interface PipCommands {
  readonly name: 'pip' | 'uv';
  /** Decides on versions; reads `requirements.txt` and writes `decided`, both in its directory. */
  readonly lock: readonly string[];
  /** Installs what `lock.txt` in its directory names into `site-packages` there. */
  readonly install: readonly string[];
}

/**
 * What pip writes its log to, in its directory. That an index refused to answer stands nowhere
 * else: what pip prints then is that there is no such package.
 */
export const pipLogFile: string = `${temporaryName}/pip.log`;

const requirements = ['-r', 'requirements.txt'];
const locked = ['--no-deps', '--require-hashes', '--target', 'site-packages', '-r', 'lock.txt'];

export interface PipOptions {
  readonly python: PythonProgram;
  readonly environment: Environment;
  /** Where downloads are kept. */
  readonly cacheDirectory: string;
  /** Whether programs of packages may run: those that build what is only there as source. */
  readonly allowInstallScripts: boolean;
  /** Whether there is a pip.conf, which only pip reads. */
  readonly hasPipConf: boolean;
}

/**
 * uv where it is on the path, for it is many times faster; else the pip of this Python. What says
 * only to pip where packages come from is for pip.
 */
export function findPip(options: PipOptions): PipCommands {
  const { python, environment, cacheDirectory, allowInstallScripts, hasPipConf } = options;
  const wheels = allowInstallScripts ? [] : ['--only-binary', ':all:'];
  const isForPip = hasPipConf || onlyPip.some((name) => environment[name]);
  const uv = isForPip ? undefined : findProgram('uv', environment.PATH);
  if (uv !== undefined) {
    const shared = ['--python', python.program, '--cache-dir', join(cacheDirectory, 'uv')];
    const always = [...shared, '--no-progress', '--no-config', ...wheels];
    const compile = ['--generate-hashes', '--no-header', '--no-annotate', '-o', 'decided'];
    return {
      name: 'uv',
      lock: [uv, 'pip', 'compile', ...always, ...compile, 'requirements.txt'],
      install: [uv, 'pip', 'install', ...always, '--compile-bytecode', ...locked],
    };
  }
  // `-I`: neither variables nor packages of the user's lead pip astray.
  const pip = [python.program, '-I', '-X', 'utf8', '-m', 'pip', 'install'];
  const quiet = [
    '--no-input',
    '--no-color',
    '--progress-bar',
    'off',
    '--disable-pip-version-check',
    '--log',
    pipLogFile,
  ];
  // A retry is for whoever asked, who can tell the user meanwhile.
  const patience = ['--retries', '1', '--timeout', '30'];
  const always = [...quiet, ...patience, '--cache-dir', join(cacheDirectory, 'pip'), ...wheels];
  return {
    name: 'pip',
    lock: [
      ...pip,
      ...always,
      '--dry-run',
      '--ignore-installed',
      '--report',
      'decided',
      ...requirements,
    ],
    install: [...pip, ...always, ...locked],
  };
}

// What decides how an index is reached. Everything else that is set here would only lead astray.
const passedOn =
  /^(PATH|HOME|TMPDIR|LANG|((HTTPS?|NO|ALL)_PROXY)|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|CERT|CLIENT_CERT|TRUSTED_HOST|PROXY|CONFIG_FILE)|UV_(DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NATIVE_TLS|SYSTEM_CERTS|INSECURE_HOST))$/i;

// What uv has nothing like: a file of settings, and to ask no index.
const onlyPip = ['PIP_CONFIG_FILE', 'PIP_NO_INDEX'] as const;

/** What pip is told, as uv is told it. */
const toldToUv: readonly (readonly [pip: string, uv: string, between: string])[] = [
  ['PIP_INDEX_URL', 'UV_DEFAULT_INDEX', ' '],
  ['PIP_EXTRA_INDEX_URL', 'UV_INDEX', ' '],
  ['PIP_FIND_LINKS', 'UV_FIND_LINKS', ','],
  ['PIP_TRUSTED_HOST', 'UV_INSECURE_HOST', ' '],
  ['PIP_CERT', 'SSL_CERT_FILE', ' '],
];

// uv brings authorities of its own, where pip asks the system; and it would try three times.
const asPip = { UV_SYSTEM_CERTS: 'true', UV_NATIVE_TLS: 'true', UV_HTTP_RETRIES: '1' };

/** The environment of pip and uv: the path, and what the host says about indexes. */
export function pipEnvironment(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = { ...asPip };
  for (const [pip, uv, between] of toldToUv) {
    const value = environment[pip];
    if (value) kept[uv] = value.trim().split(/\s+/).join(between);
  }
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && passedOn.test(name)) kept[name] = value;
  }
  return kept;
}
