import { isJsonObject } from '@fnlet/base';
import type { LockedDependencies } from '@fnlet/executor';

/** What the parts of a project for one language are made of. */
export interface LanguageOptions {
  /** Name of the project. */
  readonly name: string;
  /** Such as `24` or `3.12`. */
  readonly version: string;
  /** What its image begins with. Default: the stock image of its language. */
  readonly base?: string | undefined;
  readonly locked: LockedDependencies;
  readonly allowInstallScripts: boolean;
}

/** The parts of a project that depend on its language. */
export interface LanguageParts {
  readonly files: Readonly<Record<string, string>>;
  /** How somebody starts it who has no container. */
  readonly commands: readonly string[];
}

/** Files of the top of a project for Node.js. */
export function planNodeProject(options: LanguageOptions): LanguageParts {
  const { name, version, base = `node:${version}-slim` } = options;
  const { locked, allowInstallScripts } = options;
  const install = `npm ci --omit=dev${allowInstallScripts ? '' : ' --ignore-scripts'}`;
  const given = locked.kind === 'npm' ? dependenciesOf(locked.packageJson) : {};
  const scripts = { build: 'node build.mjs', prestart: 'node build.mjs', start: 'node server.mjs' };
  const own = { name, version: '1.0.0', private: true };
  const packageJson = { ...given, ...own, scripts, engines: { node: `>=${version}` } };
  const bare = { ...own, lockfileVersion: 3, requires: true, packages: { '': own } };
  return {
    files: {
      'package.json': `${JSON.stringify(packageJson, undefined, 2)}\n`,
      'package-lock.json':
        locked.kind === 'npm' ? locked.packageLock : `${JSON.stringify(bare, undefined, 2)}\n`,
      'build.mjs': build,
      'server.mjs': server,
      Dockerfile: dockerfile(base, install),
      '.dockerignore': '.git\nnode_modules\nbuild\nk8s\nDockerfile\nREADME.md\n',
      '.gitignore': '/node_modules\n/build\n',
      'runner/node_modules/@fnlet/sdk/package.json': `${JSON.stringify(sdk, undefined, 2)}\n`,
    },
    commands: [install, 'npm start'],
  };
}

/** All that npm was told, but for what is empty. */
function dependenciesOf(packageJson: string): Readonly<Record<string, unknown>> {
  const told: unknown = JSON.parse(packageJson);
  const entries = isJsonObject(told) ? Object.entries(told) : [];
  const isEmpty = (value: unknown): boolean =>
    isJsonObject(value) && Object.keys(value).length === 0;
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)));
}

const sdk = {
  name: '@fnlet/sdk',
  type: 'module',
  exports: {
    '.': './index.mjs',
    './operator': './operator.mjs',
    './operator-wire': './operator-wire.mjs',
  },
};

function dockerfile(base: string, install: string): string {
  return `FROM ${base}
WORKDIR /app
COPY package.json package-lock.json ./
RUN ${install}
COPY . .
RUN node build.mjs
USER 1000:1000
EXPOSE 8080
CMD ["node", "server.mjs"]
`;
}

const build = `// Copies function/ to build/, where TypeScript has its types removed.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

const target = join(import.meta.dirname, 'build');
rmSync(target, { recursive: true, force: true });
cpSync(join(import.meta.dirname, 'function'), target, { recursive: true });
for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const isProgram = /(?<!\\.d)\\.[mc]?ts$/.test(path) && !path.includes('node_modules');
  if (entry.isFile() && isProgram) writeFileSync(path, strip(readFileSync(path, 'utf8')));
}

function strip(code) {
  try {
    return stripTypeScriptTypes(code);
  } catch (error) {
    // Enums, namespaces and parameter properties are code: they are rewritten.
    if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error;
    return stripTypeScriptTypes(code, { mode: 'transform', sourceMap: true });
  }
}
`;

const server = `// Serves the function of this project: node server.mjs [port] [host]
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { serve } from './runner/standalone.mjs';

const [port = '8080', host = '0.0.0.0'] = process.argv.slice(2);
const settings = JSON.parse(readFileSync(join(import.meta.dirname, 'function.json'), 'utf8'));
const sourceDirectory = join(import.meta.dirname, 'build');
const env = { ...process.env };
const specialisation = { ...settings, instance: hostname(), sourceDirectory, env };
await serve(specialisation, { host, port: Number(port) });
`;
