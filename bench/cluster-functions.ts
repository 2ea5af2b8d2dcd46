/**
 * What Functions cost a cluster and the controller: objects and calls of the API for each that is
 * made, until it sleeps; memory with 1 000 and 10 000 that sleep; how long a controller that begins
 * takes to look at all; what it asks and writes while nothing happens.
 *
 *     node bench/cluster-functions.ts [--counts 1000,10000] [--made 20] [--rest-seconds 60]
 *
 * The cluster is an embedded API with a kubelet that runs Pods as processes. Only the first
 * Functions are made through the controller; the others are written as it left one of those, under
 * other names, for each would need a Pod that proves its code. A controller that finds all of them
 * as they should be, and writes nothing, shows that they are the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { ClusterParts, type Part } from '../test/cluster-parts.ts';
import { until } from '../test/until.ts';
import {
  AskedOfApi,
  type ClusterObject,
  functionType,
  makeFunction,
  namespaceType,
  peakMB,
  revisionType,
  serviceType,
  untilAsleep,
  untilQuietAtApi,
} from './_cluster.ts';
import { report, round } from './_figures.ts';
import { inParallel } from './_hub.ts';
import { pssMB, useOf } from './_process-use.ts';

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '1000,10000' },
    made: { type: 'string', default: '20' },
    'rest-seconds': { type: 'string', default: '60' },
    verbose: { type: 'boolean', default: false },
  },
});
const counts = values.counts.split(',').map(Number);
const made = Number(values.made);
const restSeconds = Number(values['rest-seconds']);
/** Functions of a namespace: teams have some dozens. */
const perNamespace = 100;
// Of letters that stand nowhere else: it is replaced in texts.
const template = 'zzfirst';
const scale = { idleAfter: '1s' };

await using cluster = await ClusterParts.start();
const rows: Record<string, Record<string, string | number>> = {};
const figures: Record<string, number> = {};

interface Row {
  readonly name: string;
  readonly controller: Part;
  readonly more?: Record<string, string | number>;
}

function explain(title: string, asked: AskedOfApi): void {
  if (!values.verbose) return;
  process.stderr.write(`${title}\n${[...asked.lines()].map((line) => `  ${line}\n`).join('')}`);
}

async function memoryRow({ name, controller, more = {} }: Row): Promise<void> {
  rows[name] = {
    'controller MB': round(await pssMB(controller.pid)),
    'peak MB': round(await peakMB(controller.pid)),
    ...more,
  };
}

/** What each Function costs that is made as users make them. */
async function measureMade(controller: Part): Promise<void> {
  await makeFunction(cluster, template, { scale });
  await untilAsleep(cluster);
  await untilQuietAtApi(controller, 3_000);
  const before = await AskedOfApi.by(controller);
  for (let n = 0; n < made; n++) await makeFunction(cluster, `made-${n}`, { scale });
  await untilAsleep(cluster);
  await untilQuietAtApi(controller, 3_000);
  const after = await AskedOfApi.by(controller);
  explain('Until the first Functions sleep:', after);
  const each = (total: number): number => round(total / made);
  const objects = each(after.created - before.created);
  const writes = each(after.writes - before.writes);
  const reads = each(after.reads - before.reads);
  await memoryRow({
    name: `${made} made, asleep; for each:`,
    controller,
    more: { objects, writes, reads },
  });
  figures.objectsPerFunction = objects;
  figures.writesPerFunction = writes;
  figures.readsPerFunction = reads;
}

/** The same object under another name, as text: names stand in many places. */
function renamed<T extends ClusterObject>(object: T, name: string, namespace: string): T {
  const text = JSON.stringify(object)
    .replaceAll(`/default/${template}`, `/${namespace}/${name}`)
    .replaceAll(template, name);
  const copy: T = JSON.parse(text);
  const { name: own, labels = {}, annotations = {} } = copy.metadata;
  return { ...copy, metadata: { name: own, namespace, labels, annotations } };
}

async function writeWhole(type: ResourceType, object: ClusterObject): Promise<ClusterObject> {
  const client = cluster.client.of<ClusterObject>(type);
  const written = await client.create(object);
  if (object.status === undefined || type === serviceType) return written;
  return await client.updateStatus({ ...written, status: object.status });
}

/** Writes Functions that have served and sleep, until there are so many. */
async function writeFunctions(from: number, to: number): Promise<void> {
  const key = { namespace: 'default', name: template };
  const owner = await cluster.client.of<ClusterObject>(functionType).get(key);
  const name = owner.status?.revision ?? '';
  const revision = await cluster.client.of<ClusterObject>(revisionType).get({ ...key, name });
  const service = await cluster.client.of<ClusterObject>(serviceType).get(key);
  await inParallel(to - from, async (n) => {
    const index = from + n;
    const namespace = `team-${Math.floor(index / perNamespace)}`;
    const own = await writeWhole(functionType, renamed(owner, `fn-${index}`, namespace));
    const [reference] = revision.metadata.ownerReferences ?? [];
    const ownerReferences = reference && [
      { ...reference, name: own.metadata.name, uid: own.metadata.uid ?? '' },
    ];
    for (const [type, object] of [
      [revisionType, revision],
      [serviceType, service],
    ] as const) {
      const copy = renamed(object, `fn-${index}`, namespace);
      const metadata = { ...copy.metadata, ...(ownerReferences && { ownerReferences }) };
      await writeWhole(type, { ...copy, metadata });
    }
  });
}

/** A controller that begins, until it has looked at every Function. */
async function measureRestart(count: number): Promise<Part> {
  const startMs = performance.now();
  const controller = await cluster.controller();
  await until(() => controller.output().includes('Serving Runners and Gateways'), {
    what: 'a controller to lead',
    timeoutMs: 600_000,
  });
  const serves = performance.now() - startMs;
  const done = (await untilQuietAtApi(controller, 5_000)) - startMs;
  const asked = await AskedOfApi.by(controller);
  explain(`After a restart with ${count}:`, asked);
  const { mainCpuSeconds } = await useOf(controller.pid);
  await memoryRow({
    name: `${count} asleep, after a restart`,
    controller,
    more: {
      'serves after s': round(serves / 1000),
      'all looked at after s': round(done / 1000),
      'CPU s': round(mainCpuSeconds),
      writes: asked.writes,
      reads: asked.reads,
    },
  });
  figures[`restartSeconds${count}`] = round(done / 1000);
  figures[`restartWrites${count}`] = asked.writes;
  return controller;
}

/** What it does while nothing happens. */
async function measureRest(count: number, controller: Part, gateway: Part): Promise<void> {
  const before = await AskedOfApi.by(controller);
  const busy = (await useOf(controller.pid)).mainCpuSeconds;
  await sleep(restSeconds * 1000);
  const after = await AskedOfApi.by(controller);
  const cpu = (await useOf(controller.pid)).mainCpuSeconds - busy;
  const writes = after.writes - before.writes;
  await memoryRow({
    name: `${count} asleep, ${restSeconds} s later`,
    controller,
    more: {
      'gateway MB': round(await pssMB(gateway.pid)),
      'CPU s': round(cpu, 2),
      writes,
      reads: after.reads - before.reads,
    },
  });
  figures[`controllerMB${count}`] = round(await pssMB(controller.pid));
  figures[`restWrites${count}`] = writes;
}

let controller = await cluster.controller();
const gateway = await cluster.gateway();
await measureMade(controller);
await controller.stop();
let written = 0;
for (const count of counts) {
  const namespaces = cluster.client.of<KubeObject>(namespaceType);
  for (let n = Math.ceil(written / perNamespace); n * perNamespace < count; n++) {
    await namespaces.create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `team-${n}` },
    });
  }
  await writeFunctions(written, count);
  written = count;
  controller = await measureRestart(count);
  await measureRest(count, controller, gateway);
  await controller.stop();
}
report('cluster-functions', rows, figures);
