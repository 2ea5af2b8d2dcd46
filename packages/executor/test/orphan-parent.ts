// Runs an executor until it is killed: tells its processes on one line of JSON, then waits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProcessHarness, waitUntil } from './process-harness.ts';
import { revisionFixture } from './revision-fixture.ts';

const { executor, directory } = createProcessHarness();
for (const handler of ['busy', 'forking', 'loading']) {
  executor.ensure(revisionFixture({ revision: handler, handler }), 1);
}
const phase = (revision: string): string | undefined =>
  executor.instances(`default/${revision}`)[0]?.phase;
await waitUntil(() => phase('busy') === 'ready' && phase('forking') === 'ready');
await waitUntil(() => executor.instances('default/loading')[0]?.pid !== undefined);

const forking = executor.instances('default/forking')[0]?.id ?? '';
const log = join(directory, 'logs', 'default', forking, '0.log');
const fork = Number(/forked (\d+)/.exec(readFileSync(log, 'utf8'))?.[1]);
const pids = [...executor.instances().map(({ pid }) => pid), fork];
process.stdout.write(`${JSON.stringify({ pids, directory })}\n`);
setInterval(() => {}, 60_000);
