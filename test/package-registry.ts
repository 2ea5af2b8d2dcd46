import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { tarBytes, zipBytes } from '../packages/executor/test/archive-bytes.ts';

/**
 * `silent`: it takes requests for files of packages and never answers them. `corrupt`: it sends
 * other bytes than it promised. `broken`: it answers nothing but errors.
 */
export type RegistryMood = 'well' | 'silent' | 'corrupt' | 'broken';

/** A package for JavaScript and for Python alike; its module says its version. */
export interface RegistryPackage {
  readonly name: string;
  readonly version: string;
  /** Size of a file that cannot be compressed. Default none. */
  readonly ballast?: Buffer;
}

/** The npm registry and the index of Python packages, both of this process. */
export interface PackageRegistry extends AsyncDisposable {
  /** The variables by which npm and pip are led here. */
  readonly environment: Readonly<Record<string, string>>;
  mood: RegistryMood;
  /** How many requests for files wait for an answer, now. */
  waiting(): number;
}

/** Starts a registry of these packages. */
export async function startPackageRegistry(
  packages: readonly RegistryPackage[],
): Promise<PackageRegistry> {
  const files = new Map<string, Buffer>();
  for (const each of packages) {
    files.set(tarballOf(each), packTarball(each));
    files.set(wheelOf(each), packWheel(each));
  }
  let mood: RegistryMood = 'well';
  const waiting = new Set<ServerResponse>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (mood === 'broken') {
      response.writeHead(503).end('out of order');
      return;
    }
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const content = files.get(path);
    if (content === undefined) {
      answerIndex({ path, packages, files, response });
    } else if (mood === 'silent') {
      waiting.add(response);
      response.on('close', () => waiting.delete(response));
    } else {
      response.end(mood === 'corrupt' ? Buffer.concat([content, Buffer.from('more')]) : content);
    }
  };
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    environment: {
      npm_config_registry: `${url}/`,
      npm_config_fetch_retries: '0',
      PIP_INDEX_URL: `${url}/simple`,
      UV_DEFAULT_INDEX: `${url}/simple`,
    },
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
    },
    waiting: () => waiting.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface IndexQuestion {
  readonly path: string;
  readonly packages: readonly RegistryPackage[];
  readonly files: ReadonlyMap<string, Buffer>;
  readonly response: ServerResponse;
}

function answerIndex({ path, packages, files, response }: IndexQuestion): void {
  const name = path.replace(/^simple\/|\/$/g, '');
  const found = packages.filter((each) => each.name === name);
  const digest = (file: string, algorithm: string): Buffer =>
    createHash(algorithm)
      .update(files.get(file) ?? '')
      .digest();
  if (found.length === 0) return void response.writeHead(404).end('{}');
  if (path.startsWith('simple/')) {
    const links = found.map((each) => {
      const file = wheelOf(each);
      return `<a href="/${file}#sha256=${digest(file, 'sha256').toString('hex')}">${file}</a>`;
    });
    response.setHeader('content-type', 'text/html');
    return void response.end(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`);
  }
  const versions = found.map((each) => {
    const integrity = `sha512-${digest(tarballOf(each), 'sha512').toString('base64')}`;
    const tarball = `http://${response.req.headers.host}/${tarballOf(each)}`;
    return [each.version, { name, version: each.version, dist: { tarball, integrity } }] as const;
  });
  const latest = versions.at(-1)?.[0];
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }),
  );
}

function tarballOf({ name, version }: RegistryPackage): string {
  return `${name}-${version}.tgz`;
}

function wheelOf({ name, version }: RegistryPackage): string {
  // Files of wheels are named in a normal form; pip looks at no others.
  return `${name.replaceAll(/[-_.]+/g, '_')}-${version}-py3-none-any.whl`;
}

function packTarball({ name, version, ballast }: RegistryPackage): Buffer {
  return gzipSync(
    tarBytes([
      { path: 'package/package.json', content: JSON.stringify({ name, version }) },
      { path: 'package/index.js', content: `module.exports = ${JSON.stringify(version)};` },
      ...(ballast === undefined ? [] : [{ path: 'package/ballast', content: ballast }]),
    ]),
  );
}

function packWheel({ name, version, ballast }: RegistryPackage): Buffer {
  const info = `${name}-${version}.dist-info`;
  const format = 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  return zipBytes([
    { path: `${name}.py`, content: `version = ${JSON.stringify(version)}\n` },
    ...(ballast === undefined ? [] : [{ path: `${name}_ballast/data`, content: ballast }]),
    {
      path: `${info}/METADATA`,
      content: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    },
    { path: `${info}/WHEEL`, content: format },
    { path: `${info}/RECORD`, content: '' },
  ]);
}
