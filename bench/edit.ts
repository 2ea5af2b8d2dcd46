/**
 * From sending a changed source to the first answer of the new code, 100 times each for JavaScript,
 * for JavaScript while others call it, and for TypeScript. The limit beside it: the API's own durable
 * write of the same change.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi } from '../test/api-access.ts';
import { startFnlet } from '../test/fnlet-process.ts';
import { latencyRow, quantile, report, round } from './_figures.ts';
import { HttpConnection } from './_http-connection.ts';
import { httpGet } from './_http-get.ts';

const edits = 100;
const callsPerSecond = 50;

await using fnlet = await startFnlet();
const api = await createApi(fnlet.endpoints.kubeconfig);
const url = `${fnlet.endpoints.gateway}/default/edited`;

async function timeEdits(name: string, sourceOf: (version: number) => object): Promise<Edits> {
  const answer: number[] = [];
  const written: number[] = [];
  await api.applyFunction('edited', { source: sourceOf(0) });
  await api.waitReady('edited');
  for (let version = 1; version <= edits; version++) {
    const startMs = performance.now();
    await api.applyFunction('edited', { source: sourceOf(version) });
    written.push(performance.now() - startMs);
    const wanted = `${name} ${version}`;
    // Asking without a pause would take the processor that the new code loads on.
    while ((await httpGet(url)) !== wanted) await sleep(1);
    answer.push(performance.now() - startMs);
    await api.waitReady('edited');
    // People save no faster than this; the pool has a warm Runner again by then.
    await sleep(300);
  }
  return { answer, written };
}

interface Edits {
  readonly answer: readonly number[];
  readonly written: readonly number[];
}

/** Calls at a steady rate while `work` goes on. */
async function whileCalled<T>(work: () => Promise<T>): Promise<T> {
  const { pathname } = new URL(url);
  const connection = await HttpConnection.open(new URL(fnlet.endpoints.gateway));
  let isOver = false;
  const calling = (async () => {
    while (!isOver) {
      const status = await connection.get(pathname);
      if (status !== 200) throw new Error(`A call was answered ${status}`);
      await sleep(1000 / callsPerSecond);
    }
  })();
  const result = await work();
  isOver = true;
  await calling;
  connection.close();
  return result;
}

const javascript = await timeEdits('js', (version) => ({
  files: { 'handler.js': `export default () => 'js ${version}';` },
}));
const called = await whileCalled(() =>
  timeEdits('called', (version) => ({
    files: { 'handler.js': `export default () => 'called ${version}';` },
  })),
);
const typescript = await timeEdits('ts', (version) => ({
  files: { 'handler.ts': `export default (): string => 'ts ${version}';` },
}));
await api.close();
report(
  'edit',
  {
    'JavaScript: edit to new answer': latencyRow(javascript.answer),
    [`JavaScript, called ${callsPerSecond} times/s: edit to new answer`]: latencyRow(called.answer),
    'TypeScript: edit to new answer': latencyRow(typescript.answer),
    'the durable write alone': latencyRow([...javascript.written, ...typescript.written]),
  },
  {
    p50Ms: round(quantile(javascript.answer, 0.5), 2),
    p99Ms: round(quantile(javascript.answer, 0.99), 2),
    calledP50Ms: round(quantile(called.answer, 0.5), 2),
  },
);
