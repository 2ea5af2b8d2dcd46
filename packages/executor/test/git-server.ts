// Git's own HTTP server, behind a few lines that look at the password. Repositories are made and
// pushed to as people do it, with the git program.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface GitServerOptions {
  readonly tls?: { readonly keyPem: string; readonly certPem: string };
  /** `user:password`; without it everybody may read. */
  readonly login?: string;
  /** Answers requests itself; true when it did. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** How often it was asked for references, and for packs. */
  readonly requests: string[];
  /** Where the repository of this name is pushed from. */
  readonly directory: string;
  /** Commits files to a branch of a repository, which is made when there is none. */
  commit(repository: string, files: Readonly<Record<string, string>>, branch?: string): string;
  /** Runs git in the working copy of a repository. */
  git(repository: string, ...args: readonly string[]): string;
}

export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const directory = mkdtempSync(join(tmpdir(), 'git-server-'));
  const requests: string[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(request.url ?? '');
    if (options.intercept?.(request, response) === true) return;
    if (isAllowed(request, options.login)) runBackend(directory, request, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  };
  const { tls } = options;
  const server =
    tls === undefined
      ? createServer(handle)
      : createSecureServer({ key: tls.keyPem, cert: tls.certPem }, handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    directory,
    commit: (repository, files, branch = 'main') =>
      commit(directory, repository, { files, branch }),
    git: (repository, ...args) => runGit(join(directory, 'work', repository), args),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function commit(
  directory: string,
  repository: string,
  { files, branch }: { readonly files: Readonly<Record<string, string>>; readonly branch: string },
): string {
  const bare = join(directory, repository);
  const work = join(directory, 'work', repository);
  try {
    mkdirSync(bare);
    runGit(bare, ['init', '-q', '--bare', '-b', 'main']);
    mkdirSync(work, { recursive: true });
    runGit(work, ['init', '-q', '-b', 'main']);
    runGit(work, ['remote', 'add', 'origin', bare]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('EEXIST')) throw error;
  }
  runGit(work, ['checkout', '-q', '-B', branch]);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  runGit(work, ['add', '-A']);
  runGit(work, ['commit', '-q', '--allow-empty', '-m', 'a commit']);
  runGit(work, ['push', '-q', '-f', 'origin', branch]);
  return runGit(work, ['rev-parse', 'HEAD']);
}

function runGit(cwd: string, args: readonly string[]): string {
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function isAllowed({ headers }: IncomingMessage, login: string | undefined): boolean {
  if (login === undefined) return true;
  return headers.authorization === `Basic ${Buffer.from(login).toString('base64')}`;
}

/** One request of CGI (RFC 3875). */
function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin).on('error', () => {});
  let head = '';
  const onData = (chunk: Buffer): void => {
    head += chunk.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    child.stdout.off('data', onData);
    const fields = head.slice(0, end).split('\r\n');
    const pairs = fields.map((field) => /^([^:]+): *(.*)$/.exec(field));
    const status = pairs.find((pair) => pair?.[1] === 'Status')?.[2] ?? '200';
    for (const pair of pairs) {
      if (pair !== null && pair[1] !== 'Status') response.setHeader(pair[1] ?? '', pair[2] ?? '');
    }
    response.writeHead(Number.parseInt(status, 10));
    response.write(Buffer.from(head.slice(end + 4), 'latin1'));
    child.stdout.pipe(response);
  };
  child.stdout.on('data', onData);
}
