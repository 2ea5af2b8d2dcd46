import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';

/** How a registry behaves. */
export interface FakeRegistryOptions {
  /** Name of its only package. */
  readonly name: string;
  readonly version: string;
  /** Text of the one file of the package that is a program, and its path. */
  readonly program: { readonly path: string; readonly text: string };
  /** `corrupt`: it sends other bytes than it promised. `silent`: it never sends the package. */
  readonly mood?: 'corrupt' | 'silent';
}

/** A registry of one package on this machine. */
export interface FakeRegistry extends AsyncDisposable {
  readonly url: string;
  /** How often it was asked for anything. */
  readonly asked: () => number;
  /** Resolves when somebody waits for the package. */
  readonly awaited: Promise<void>;
}

export async function startFakeRegistry(options: FakeRegistryOptions): Promise<FakeRegistry> {
  const { name, version, program, mood } = options;
  const manifest = JSON.stringify({ name, version, bin: { program: program.path } });
  const tarball = gzipSync(
    Buffer.concat([
      tarEntry('package/package.json', manifest, '0000644'),
      tarEntry(`package/${program.path}`, program.text, '0000755'),
      Buffer.alloc(1024),
    ]),
  );
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const { promise: awaited, resolve: onAwaited } = Promise.withResolvers<void>();
  let asked = 0;
  const server: Server = createServer((request, response) => {
    asked++;
    if (request.url === `/${name}.tgz`) {
      onAwaited();
      if (mood === 'silent') return;
      response.end(mood === 'corrupt' ? gzipSync('something else') : tarball);
      return;
    }
    if (request.url !== `/${name}`) {
      response.writeHead(404).end('{}');
      return;
    }
    const dist = { tarball: `${urlOf(server)}${name}.tgz`, integrity };
    const versions = { [version]: { name, version, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: urlOf(server),
    asked: () => asked,
    awaited,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
}

const nul = String.fromCharCode(0);

/** One file as a tar archive has it (POSIX ustar). */
function tarEntry(path: string, text: string, mode: string): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(512);
  const size = content.length.toString(8).padStart(11, '0');
  const zero = '0000000';
  const fields = [path.padEnd(100, nul), mode, zero, zero, size, zero.padEnd(11, '0')];
  header.write(`${fields[0]}${fields.slice(1).join(nul)}${nul}        0`);
  header.write(`ustar${nul}00`, 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}${nul} `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
