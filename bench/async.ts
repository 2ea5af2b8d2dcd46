/**
 * Asynchronous calls through the Gateway: how many are accepted on the disk a second, and how many
 * delivered over HTTP from there. Beside it what bounds them: the same function called directly,
 * and an fdatasync after every append. Processor time is that of Fnlet without its Runners.
 */
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi, type TestApi } from '../test/api-access.ts';
import { startFnlet } from '../test/fnlet-process.ts';
import { until } from '../test/until.ts';
import { report, round } from './_figures.ts';
import { type Load, load } from './_wrk.ts';

/** Never ready: its calls wait, and nothing is done about them but to look now and then. */
const broken = { source: { inline: 'export default' } };
const counts = {
  source: {
    inline: `
let calls = 0;
export default (request) => {
  if (new URL(request.url).pathname === '/count') return String(calls);
  calls++;
  return 'done';
};`,
  },
  scale: { max: 1 },
};

interface Measured {
  readonly perSecond: number;
  /** Processor time a call. */
  readonly cpuUs: number;
}

/** What wrk sends: a POST with a small body, to one of these functions after the other. */
function sending(names: readonly string[], headers: string): string {
  const paths = names.map((name) => `"/default/${name}"`).join(', ');
  return `
local paths = {${paths}}
local turn = 0
wrk.method = "POST"
wrk.body = '{"order": 7, "items": ["a", "b", "c"]}'
wrk.headers["Content-Type"] = "application/json"
${headers}
request = function()
  turn = turn % #paths + 1
  return wrk.format(nil, paths[turn])
end`;
}

/** Processor time that Fnlet has used. */
async function cpuMs(): Promise<number> {
  const stat = await readFile(`/proc/${fnlet.endpoints.pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat.split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
  // In hundredths of a second.
  return (user + system) * 10;
}

async function syncsPerSecond(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
  const file = await open(join(directory, 'syncs'), 'w');
  const startMs = performance.now();
  for (let n = 0; n < 500; n++) {
    await file.write('x'.repeat(500));
    await file.datasync();
  }
  const perSecond = 500_000 / (performance.now() - startMs);
  await file.close();
  await rm(directory, { recursive: true });
  return perSecond;
}

/** Fills the queue of a function that is broken, then mends it: so nothing else is measured. */
async function deliver(api: TestApi, gateway: string): Promise<Measured> {
  const wanted = 8_000;
  await api.applyFunction('spool', broken);
  await api.waitNotReady('spool');
  const url = `${gateway}/default/spool`;
  let accepted = 0;
  const accept = async (): Promise<void> => {
    while (accepted < wanted) {
      accepted++;
      const headers = { Prefer: 'respond-async' };
      const answer = await fetch(url, { method: 'POST', body: '{}', headers });
      await answer.arrayBuffer();
      if (answer.status !== 202) throw new Error(`Not accepted: ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, accept));
  await api.applyFunction('spool', counts);
  await api.waitReady('spool');
  const count = async (): Promise<number> => Number(await (await fetch(`${url}/count`)).text());
  const begun = await until(count, { what: 'deliveries', timeoutMs: 40_000 });
  const startMs = performance.now();
  const startCpuMs = await cpuMs();
  // The few that were tried before wait for their next try.
  const all = wanted - 100;
  await until(async () => (await count()) >= all, { what: 'all deliveries', timeoutMs: 60_000 });
  const calls = all - begun;
  const cpuUs = (((await cpuMs()) - startCpuMs) / calls) * 1000;
  return { perSecond: (calls / (performance.now() - startMs)) * 1000, cpuUs };
}

await using fnlet = await startFnlet();
const api = await createApi(fnlet.endpoints.kubeconfig);
const { gateway } = fnlet.endpoints;
const idle = Array.from({ length: 8 }, (_, n) => `idle-${n}`);
for (const name of idle) await api.applyFunction(name, broken);
await api.applyFunction('direct', counts);
await api.waitReady('direct');
for (const name of idle) await api.waitNotReady(name);
const common = { url: gateway, connections: 64, seconds: 3 };
const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
const script = join(directory, 'send.lua');
const send = async (names: readonly string[], headers = '') => {
  await writeFile(script, sending(names, headers));
  const startCpuMs = await cpuMs();
  const loaded = await load({ ...common, script });
  const calls = loaded.perSecond * common.seconds;
  return { ...loaded, cpuUs: (((await cpuMs()) - startCpuMs) / calls) * 1000 };
};
const direct = await send(['direct']);
const accepted = await send(idle, 'wrk.headers["Prefer"] = "respond-async"');
const syncs = await syncsPerSecond();
const delivered = await deliver(api, gateway);
await api.close();
await rm(directory, { recursive: true });
const row = ({ perSecond, cpuUs, p50Ms, p99Ms }: Load & Measured) => ({
  'per s': Math.round(perSecond),
  'CPU µs': Math.round(cpuUs),
  'p50 ms': round(p50Ms, 2),
  'p99 ms': round(p99Ms, 2),
});
report(
  'async',
  {
    'accepted, on the disk': row(accepted),
    'delivered from there': {
      'per s': Math.round(delivered.perSecond),
      'CPU µs': Math.round(delivered.cpuUs),
    },
    'called directly': row(direct),
    'append + fdatasync': { 'per s': Math.round(syncs) },
  },
  {
    acceptedPerSecond: Math.round(accepted.perSecond),
    acceptedP99Ms: round(accepted.p99Ms, 2),
    deliveredPerSecond: Math.round(delivered.perSecond),
  },
);
