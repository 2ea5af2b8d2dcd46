/** As much of a cluster as pools need: Deployments have their Pods, Pods have their processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  hasCode,
  isJsonObject,
  type JsonObject,
  sha256,
  silentLogger,
  systemClock,
  systemRandom,
} from '@fnlet/base';
import { type Client, createCache } from '@fnlet/client';
import { type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import { podRunnerEntry } from '@fnlet/runtime-node';
import { deploymentType } from '../src/cluster/deployment-type.ts';
import { podType } from '../src/instance-pod.ts';

interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: { readonly metadata: KubeObject['metadata']; readonly spec: object };
  };
}

interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string };
}

export class PodKubelet implements AsyncDisposable {
  readonly #options: { readonly client: Client; readonly directory: string; readonly url: string };
  readonly #processes = new Map<string, ChildProcess>();
  /** All that run, those among them that were told to end. */
  readonly #children = new Set<ChildProcess>();
  readonly #work = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #running: Promise<unknown>;
  #made = 0;

  constructor(options: {
    readonly client: Client;
    readonly directory: string;
    readonly url: string;
  }) {
    this.#options = options;
    const { client } = options;
    const common = { client, clock: systemClock, random: systemRandom, logger: silentLogger };
    const deployments = createCache<Deployment>({ ...common, type: deploymentType });
    const pods = createCache<Pod>({ ...common, type: podType });
    const { signal } = this.#abort;
    const fill = (): void => {
      if (signal.aborted) return;
      for (const deployment of deployments.list()) this.#fill(deployment, pods.list());
    };
    deployments.subscribe(fill);
    pods.subscribe(({ kind, object }) => {
      if (kind === 'deleted') this.#stop(object, 'SIGKILL');
      else if (object.metadata.deletionTimestamp !== undefined) this.#do(this.#terminate(object));
      fill();
    });
    this.#running = Promise.all([deployments.run(signal), pods.run(signal)]);
  }

  /** Ends the process of a Pod, which is started anew. */
  crash(name: string): void {
    this.#processes.get(name)?.kill('SIGKILL');
  }

  /** The node of a Pod is gone: its processes are, and nobody tells the API. */
  lose(name: string): void {
    const child = this.#processes.get(name);
    this.#processes.delete(name);
    child?.kill('SIGKILL');
  }

  /** A node that lacks something ends a Pod, which stays to be looked at; its process is gone. */
  async fail(key: ObjectKey): Promise<void> {
    this.lose(key.name);
    const status = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' };
    await this.#show(key, status);
  }

  /** The process of a Pod ends, which the API shows, and begins anew when this is called. */
  async stop(key: ObjectKey): Promise<() => Promise<void>> {
    this.lose(key.name);
    const terminated = { exitCode: 3, reason: 'Error' };
    await this.#show(key, { containerStatuses: [container({ terminated })] });
    return async () => {
      await this.#show(key, { containerStatuses: [container({ running: {} })] });
      this.#run(key.name, join(this.#options.directory, key.name));
    };
  }

  async #show(key: ObjectKey, status: JsonObject): Promise<void> {
    const pods = this.#options.client.of(podType);
    await pods.patch(key, { type: 'merge', patch: { status } }, { subresource: 'status' });
  }

  get pods(): readonly string[] {
    return [...this.#processes.keys()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    for (const child of this.#children) child.kill('SIGKILL');
    await this.#running;
    await Promise.all(this.#work);
  }

  /** What is being done to the API: nothing of it may come after its end. */
  #do(work: Promise<void>): void {
    const done = work.finally(() => this.#work.delete(done));
    this.#work.add(done);
  }

  /** Pods that were told to end, by name: none is used twice. */
  readonly #ending = new Set<string>();

  /** Pods that were made, and that the cache does not show yet, with their Deployments. */
  readonly #created = new Map<string, string>();

  /**
   * As a Deployment with a surge of one does: Pods of an older template go one by one, each once
   * there is one of the newer that is ready.
   */
  #fill({ metadata, spec }: Deployment, pods: readonly Pod[]): void {
    const { name, namespace = '' } = metadata;
    for (const pod of pods) this.#created.delete(pod.metadata.name);
    const wanted = Object.entries(spec.selector.matchLabels);
    const there = pods.filter(
      (pod) =>
        wanted.every(([label, value]) => pod.metadata.labels?.[label] === value) &&
        pod.metadata.deletionTimestamp === undefined &&
        pod.status?.phase !== 'Failed',
    );
    const template = templateOf(spec.template);
    const old = there.filter(({ metadata: { labels } }) => labels?.[templateLabel] !== template);
    const present = there.filter((pod) => !old.includes(pod));
    const coming = [...this.#created.values()].filter((owner) => owner === name).length;
    const ready = there.filter((pod) => this.#isReady(pod)).length;
    const room = spec.replicas + (old.length > 0 ? 1 : 0) - there.length - coming;
    const missing = Math.min(spec.replicas - present.length - coming, room);
    // As a ReplicaSet does with what is too much: the cheapest goes, then the youngest.
    const surplus =
      old.length > 0 && (ready > spec.replicas || spec.replicas === 0)
        ? lastOf(old)
        : present.length + coming > spec.replicas
          ? lastOf(present)
          : undefined;
    if (surplus !== undefined) {
      const key = { namespace, name: surplus.metadata.name };
      this.#do(
        this.#options.client
          .of(podType)
          .delete(key)
          .then(
            () => {},
            () => {},
          ),
      );
    }
    for (let made = 0; made < missing; made++) {
      this.#made += 1;
      const key = { namespace, name: `${name}-${this.#made}` };
      this.#created.set(key.name, name);
      const labels = { ...spec.template.metadata.labels, [templateLabel]: template };
      this.#do(this.#start(key, labels, spec.template.spec));
    }
  }

  /** Whether a Pod is an Instance: what has code is ready, as its probe would find. */
  #isReady({ metadata }: KubeObject): boolean {
    return metadata.labels?.['fnlet.dev/instance'] !== undefined;
  }

  async #start(
    key: { namespace: string; name: string },
    labels: Readonly<Record<string, string>>,
    spec: object,
  ): Promise<void> {
    const { client, directory } = this.#options;
    const pods = client.of(podType);
    const made = { apiVersion: 'v1', kind: 'Pod', metadata: { ...key, labels } };
    // What is on a node is not gone before its kubelet says so.
    const pod = await pods.create({ ...made, ...{ spec: { ...spec, nodeName: 'machine' } } });
    const status = { podIP: '127.0.0.1' };
    const files = join(directory, key.name);
    mkdirSync(files, { recursive: true });
    try {
      await pods.patch(key, { type: 'merge', patch: { status } }, { subresource: 'status' });
      writeFileSync(join(files, 'token'), await this.#tokenOf(pod));
    } catch (error) {
      // One too many is deleted before it has begun.
      if (hasCode(error, 'NotFound')) return;
      throw error;
    }
    if (!this.#ending.has(key.name)) this.#run(key.name, files);
  }

  #run(name: string, files: string): void {
    if (this.#abort.signal.aborted) return;
    const flags = {
      '--runtime': 'nodejs24',
      '--owner': this.#options.url,
      '--token': join(files, 'token'),
      '--authority': join(this.#options.directory, 'ca.crt'),
      '--directory': join(files, 'work'),
      '--port': '0',
    };
    const child = spawn(process.execPath, [podRunnerEntry, ...Object.entries(flags).flat()], {
      stdio: 'ignore',
      env: {},
    });
    this.#processes.set(name, child);
    this.#children.add(child);
    child.once('exit', () => {
      this.#children.delete(child);
      // As restartPolicy Always has it.
      if (this.#processes.get(name) === child) this.#run(name, files);
    });
  }

  #stop({ metadata: { name } }: KubeObject, signal: NodeJS.Signals): ChildProcess | undefined {
    const child = this.#processes.get(name);
    this.#processes.delete(name);
    child?.kill(signal);
    return child;
  }

  /** What a kubelet does with a Pod that is being deleted. */
  async #terminate(pod: KubeObject): Promise<void> {
    const { name } = pod.metadata;
    if (this.#ending.has(name)) return;
    this.#ending.add(name);
    const child = this.#stop(pod, 'SIGTERM');
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => child.once('exit', resolve));
    }
    const { uid } = pod.metadata;
    const gone = { gracePeriodSeconds: 0, preconditions: { uid } };
    try {
      await this.#options.client.of(podType).delete(objectKey(pod), gone);
    } catch (error) {
      // Somebody did not wait for it.
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }

  async #tokenOf({ metadata: { name, namespace, uid } }: KubeObject): Promise<string> {
    const response = await this.#options.client.transport.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {
          audiences: ['fnlet-runner'],
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      },
    });
    const answer: unknown = await response.json();
    const status = isJsonObject(answer) && isJsonObject(answer.status) ? answer.status : {};
    return String(status.token);
  }
}

function container(state: JsonObject): JsonObject {
  const said = { image: 'node:24-slim', imageID: '', ready: 'running' in state, restartCount: 1 };
  return { name: 'function', ...said, state };
}

const templateLabel = 'pod-template-hash';

function templateOf(template: Deployment['spec']['template']): string {
  return sha256(JSON.stringify(template)).slice(0, 10);
}

function lastOf(pods: readonly KubeObject[]): KubeObject | undefined {
  return pods.toSorted((a, b) => costOf(b) - costOf(a)).at(-1);
}

function costOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
}
