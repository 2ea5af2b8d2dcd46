/**
 * What each way into the Gateway costs: HTTP/1.1 and HTTP/2, plain and over TLS, to one warm
 * Instance, in turns within one run, with h2load as the load.
 *
 *     node bench/fronts.ts
 *
 * All have twenty calls in flight, those over HTTP/2 on two connections. Processor time is the
 * Gateway's own, which other programs of the machine disturb less than they do the rest.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile, report, round } from './_figures.ts';

const rounds = 3;
const requestsPerRound = 8_000;
const secondsPerTick = 0.01;

interface Sample {
  readonly perSecond: number;
  readonly microseconds: number;
}

/** Seconds of processor time that a process has used. */
function processorSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * secondsPerTick;
}

function load(gateway: ChildProcess, [url, ...flags]: readonly string[]): Sample {
  const before = processorSeconds(gateway);
  const parameters = [...flags, '-n', String(requestsPerRound), url ?? ''];
  const output = execFileSync('h2load', parameters).toString();
  const used = processorSeconds(gateway) - before;
  const succeeded = Number(/(\d+) succeeded/.exec(output)?.[1]);
  if (succeeded !== requestsPerRound) throw new Error(`Load on ${url} failed:\n${output}`);
  const perSecond = Number(/([\d.]+) req\/s/.exec(output)?.[1]);
  return { perSecond, microseconds: (used / requestsPerRound) * 1e6 };
}

function start(role: string, socketPath: string): ChildProcess {
  const server = join(import.meta.dirname, '_fronts-server.ts');
  // As bin/fnlet.js runs: little memory kept for later.
  return spawn(process.execPath, ['--max-semi-space-size=4', server, role, socketPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => reject(new Error(`A server ended with ${code} at once`)));
  });
}

const directory = mkdtempSync(join(tmpdir(), 'fnlet-bench-'));
const socketPath = join(directory, 'instance.sock');
const instance = start('instance', socketPath);
const gateway = start('gateway', socketPath);
try {
  await firstLine(instance);
  const ports: { plain: number; tls: number } = JSON.parse(await firstLine(gateway));
  const plain = `http://localhost:${ports.plain}/default/hello/`;
  const secure = `https://localhost:${ports.tls}/default/hello/`;
  const fronts = {
    'HTTP/1.1': [plain, '--h1', '-c20'],
    'HTTP/1.1 over TLS': [secure, '--h1', '-c20'],
    'HTTP/2': [plain, '-c2', '-m10'],
    'HTTP/2 over TLS': [secure, '-c2', '-m10'],
  };
  const samples = new Map<string, Sample[]>(Object.keys(fronts).map((name) => [name, []]));
  for (let turn = 0; turn <= rounds; turn++) {
    for (const [name, target] of Object.entries(fronts)) {
      const sample = load(gateway, target);
      // The first turn warms up.
      if (turn > 0) samples.get(name)?.push(sample);
    }
  }
  const middle = (name: string, figure: keyof Sample): number =>
    quantile(
      (samples.get(name) ?? []).map((sample) => sample[figure]),
      0.5,
    );
  const rows = Object.keys(fronts).map((name) => [
    name,
    {
      'requests/s': round(middle(name, 'perSecond'), 0),
      'µs of processor a request': round(middle(name, 'microseconds')),
    },
  ]);
  report('fronts', Object.fromEntries(rows), {
    http1Microseconds: round(middle('HTTP/1.1', 'microseconds')),
    http1TlsMicroseconds: round(middle('HTTP/1.1 over TLS', 'microseconds')),
    http2Microseconds: round(middle('HTTP/2', 'microseconds')),
    http2TlsMicroseconds: round(middle('HTTP/2 over TLS', 'microseconds')),
  });
} finally {
  instance.kill();
  gateway.kill();
  rmSync(directory, { recursive: true, force: true });
}
