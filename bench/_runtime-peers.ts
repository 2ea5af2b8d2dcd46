import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Packages that the peers are, or are made of, at the versions that were measured. */
const nodePackages = {
  '@google-cloud/functions-framework': '5.0.5',
  'body-parser': '1.20.9',
  express: '5.3.0',
  'faas-js-runtime': '3.0.2',
  'kubeless-express': 'npm:express@4.22.3',
  morgan: '1.12.1',
  'prom-client': '14.2.0',
  workerd: '1.20261117.1',
};
const pythonPackages = ['bottle==0.13.4', 'cheroot==11.1.2'];

/** Installs what the peers need, once; returns where it is. */
export async function installPeers(directory: string): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const wanted = JSON.stringify({ private: true, dependencies: nodePackages });
  writeFileSync(join(directory, 'package.json'), wanted);
  const quiet = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts'];
  if (!existsSync(join(directory, 'node_modules', 'workerd'))) {
    await run('npm', ['install', ...quiet, '--prefix', directory]);
  }
  const python = join(directory, 'python');
  if (!existsSync(python)) {
    const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--target', python];
    await run('python3', [...pip, ...pythonPackages]);
  }
  return directory;
}

/** How each peer is started: its command, for the port that it is given. */
export function peerCommands(
  directory: string,
  handler: string,
): Readonly<Record<string, (port: number) => readonly string[]>> {
  const peers = join(import.meta.dirname, 'peers');
  const node = process.execPath;
  const module = (name: string): string => join(directory, 'node_modules', name);
  return {
    'Kyma Node shape': (port) => [
      ...[node, join(peers, 'kyma-node.mjs'), directory],
      ...[handler, String(port)],
    ],
    'Kubeless Node shape': (port) => [
      ...[node, join(peers, 'kubeless-node.mjs'), directory],
      ...[handler, String(port)],
    ],
    'functions-framework': (port) => [
      ...[node, join(module('@google-cloud/functions-framework'), 'build', 'src', 'main.js')],
      ...['--source', handler, '--target', 'http', '--port', String(port)],
    ],
    'faas-js-runtime': (port) => [
      ...[node, join(module('faas-js-runtime'), 'bin', 'cli.js'), handler],
      ...['--port', String(port), '--log-level', 'silent'],
    ],
    workerd: (port) => [
      ...[workerdProgram(directory), 'serve', writeWorkerdConfiguration(directory, port)],
    ],
    'Kyma Python shape': (port) => [
      ...['python3', join(peers, 'kyma.py'), join(directory, 'python'), String(port)],
    ],
  };
}

/** The program itself: its package's command is a Node process around it. */
function workerdProgram(directory: string): string {
  const platform = `workerd-${process.platform}-${process.arch === 'x64' ? '64' : process.arch}`;
  return join(directory, 'node_modules', '@cloudflare', platform, 'bin', 'workerd');
}

function writeWorkerdConfiguration(directory: string, port: number): string {
  const path = join(directory, 'hello.capnp');
  writeFileSync(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .hello)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const hello :Workerd.Worker = (
  modules = [(
    name = "worker",
    esModule = "export default { fetch() { return new Response('hello, world'); } }",
  )],
  compatibilityDate = "2026-11-01",
);
`,
  );
  return path;
}
