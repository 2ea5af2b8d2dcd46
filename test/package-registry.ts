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
  /** Such as `127.0.0.1:1234`. */
  readonly host: string;
  mood: RegistryMood;
  /** How many requests for files wait for an answer, now. */
  waiting(): number;
}

/** Whom a registry serves: by user and password, or by the password as a token. */
export interface RegistryLogin {
  readonly user: string;
  readonly password: string;
}

/** Starts a registry of these packages. Without a login it serves everybody. */
export async function startPackageRegistry(
  packages: readonly RegistryPackage[],
  login?: RegistryLogin,
): Promise<PackageRegistry> {
  const files = new Map<string, Buffer>();
  for (const each of packages) {
    files.set(tarballOf(each), packTarball(each));
    files.set(wheelOf(each), packWheel(each));
  }
  let mood: RegistryMood = 'well';
  const waiting = new Set<ServerResponse>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (!isKnown(request, login)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="packages"' }).end('{}');
      return;
    }
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
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const url = `http://${host}`;
  return {
    host,
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

function isKnown({ headers }: IncomingMessage, login: RegistryLogin | undefined): boolean {
  if (login === undefined) return true;
  const { user, password } = login;
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  return [`Basic ${basic}`, `Bearer ${password}`].includes(headers.authorization ?? '');
}

interface IndexQuestion {
  readonly path: string;
  readonly packages: readonly RegistryPackage[];
  readonly files: ReadonlyMap<string, Buffer>;
  readonly response: ServerResponse;
}

function answerIndex({ path, packages, files, response }: IndexQuestion): void {
  // npm writes the slash of a scope as %2f; it is decoded by now.
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
  return `${name.replace('/', '-')}-${version}.tgz`;
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
  const module = name.replaceAll(/[-_.]+/g, '_');
  const info = `${module}-${version}.dist-info`;
  const format = 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  return zipBytes([
    { path: `${module}.py`, content: `version = ${JSON.stringify(version)}\n` },
    ...(ballast === undefined ? [] : [{ path: `${module}_ballast/data`, content: ballast }]),
    {
      path: `${info}/METADATA`,
      content: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    },
    { path: `${info}/WHEEL`, content: format },
    { path: `${info}/RECORD`, content: '' },
  ]);
}
