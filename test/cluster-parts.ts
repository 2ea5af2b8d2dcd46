/** A cluster of one machine, and Fnlet's parts on it as processes, with the rights of their accounts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import {
  brokerCrd,
  functionCrd,
  operatorCrd,
  revisionCrd,
  runtimeCrd,
  triggerCrd,
} from '@fnlet/api';
import { systemClock } from '@fnlet/base';
import {
  type Client,
  createClient,
  createHttpTransport,
  formatKubeconfig,
  loadKubeconfig,
} from '@fnlet/client';
import { installKinds } from '@fnlet/functions';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import {
  clusterNames,
  controllerAudience,
  recordGroups,
  recordsVersion,
} from '../packages/server/src/cluster/names.ts';
import {
  type AccessRule,
  type AccountRules,
  aggregationRules,
  controllerRules,
  customMetricsGroup,
  externalMetricsGroup,
  gatewayRules,
  metricsRules,
  metricsVersions,
  settingRules,
  systemRules,
  watchedRoles,
} from '../packages/server/src/cluster/rules.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'fnlet.js');
const { namespace } = clusterNames;

/** A part of Fnlet that runs as a process of its own. */
export interface Part {
  readonly pid: number;
  readonly healthUrl: string;
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface StartedGateway {
  readonly node?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** A Gateway among them. */
export interface GatewayPart extends Part {
  readonly url: string;
  /** For those inside. */
  readonly insideUrl: string;
}

/** A cluster with Fnlet's definitions, accounts and roles in it, and nothing else. */
export class ClusterParts implements AsyncDisposable {
  readonly api: FnletProcess;
  readonly client: Client;
  readonly #parts: Part[] = [];
  readonly #runnersPort: number;
  readonly #gatewaysPort: number;
  readonly #aggregatedPort: number;
  /** Of the first Gateway. */
  readonly #gatewayPort: number;
  #gateways = 0;
  #started = 0;

  private constructor(api: FnletProcess, client: Client, ports: readonly number[]) {
    this.api = api;
    this.client = client;
    const [runnersPort = 0, gatewaysPort = 0, gatewayPort = 0, aggregatedPort = 0] = ports;
    this.#runnersPort = runnersPort;
    this.#gatewaysPort = gatewaysPort;
    this.#gatewayPort = gatewayPort;
    this.#aggregatedPort = aggregatedPort;
  }

  static async start(): Promise<ClusterParts> {
    const api = await startFnlet({ args: ['--cluster-only', '--allow-host-commands'] });
    const config = await loadKubeconfig({ file: api.endpoints.kubeconfig, env: {} });
    const client = createClient(createHttpTransport(config), { fieldManager: 'test' });
    const cluster = new ClusterParts(api, client, await freePorts(4));
    await cluster.#install();
    return cluster;
  }

  /**
   * @param directory where it keeps things. Default: one of its own
   * @param args flags besides
   */
  async controller(
    directory = `controller-${this.#started}`,
    args: readonly string[] = [],
  ): Promise<Part> {
    const kubeconfig = await this.#kubeconfigOf(clusterNames.controller);
    return await this.#start('controller', [
      ...['--kubeconfig', kubeconfig, '--shared-network', '--host', '127.0.0.1'],
      ...['--data-dir', join(this.api.dataDirectory, directory), '--async-calls'],
      ...['--gateway-url', `http://127.0.0.1:${this.#gatewayPort}`, ...args],
      ...['--runners-port', `${this.#runnersPort}`, '--gateways-port', `${this.#gatewaysPort}`],
      ...['--runners-url', `https://127.0.0.1:${this.#runnersPort}`, '--pod-ip', '127.0.0.1'],
      ...['--aggregated-port', `${this.#aggregatedPort}`],
    ]);
  }

  /**
   * @param part.node where it runs, as far as the cluster knows. Default: it is no Pod
   * @param part.environment besides
   */
  async gateway({ node, environment }: StartedGateway = {}): Promise<GatewayPart> {
    const kubeconfig = await this.#kubeconfigOf(clusterNames.gateway);
    const pod = node === undefined ? undefined : await this.#podOn(node);
    const token = join(this.api.dataDirectory, `gateway-token-${this.#started}`);
    await writeFile(token, await this.#tokenOf(clusterNames.gateway, controllerAudience, pod));
    const authority = join(this.api.dataDirectory, 'authority.crt');
    await writeFile(authority, await this.#authority());
    const [port, insidePort] = await freePorts(2);
    const httpPort = this.#gateways++ === 0 ? this.#gatewayPort : port;
    const args = [
      ...['--kubeconfig', kubeconfig, '--host', '127.0.0.1'],
      ...['--http-port', `${httpPort}`, '--inside-port', `${insidePort}`],
      ...['--controller-url', `https://127.0.0.1:${this.#gatewaysPort}`],
      ...['--controller-token-file', token, '--authority-file', authority],
    ];
    const part = await this.#start('gateway', args, environment);
    const host = 'http://127.0.0.1';
    return { ...part, url: `${host}:${httpPort}`, insideUrl: `${host}:${insidePort}` };
  }

  /** What the parts have printed, for a test that fails. */
  output(): string {
    const parts = this.#parts.map((part, index) => `--- ${index}\n${part.output()}`);
    return [...parts, `--- cluster\n${this.api.output()}`].join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#parts) await part.stop('SIGKILL');
    await this.client.transport.close();
    await this.api[Symbol.asyncDispose]();
  }

  async #install(): Promise<void> {
    const definitions = [functionCrd, revisionCrd, runtimeCrd, triggerCrd, brokerCrd, operatorCrd];
    await installKinds(this.client, definitions, systemClock);
    await this.#apply(coreType('Namespace', 'namespaces', false), {
      metadata: { name: namespace },
    });
    await this.#grant(clusterNames.controller, controllerRules);
    await this.#grant(clusterNames.gateway, gatewayRules);
    await this.allow('networkPolicies');
    await this.#letWatch();
    await this.#aggregate();
  }

  async #grant(name: string, rules: AccountRules): Promise<void> {
    const subjects = [{ kind: 'ServiceAccount', name, namespace }];
    const refer = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
    const own = { name, namespace };
    await this.#apply(coreType('ServiceAccount', 'serviceaccounts'), { metadata: own });
    await this.#apply(rbacType('ClusterRole', false), { metadata: { name }, rules: rules.cluster });
    await this.#apply(rbacType('ClusterRoleBinding', false), {
      ...{ metadata: { name }, roleRef: refer('ClusterRole'), subjects },
    });
    if (rules.namespace.length === 0) return;
    await this.#apply(rbacType('Role', true), { metadata: own, rules: rules.namespace });
    await this.#apply(rbacType('RoleBinding', true), {
      ...{ metadata: own, roleRef: refer('Role'), subjects },
    });
  }

  /** Lets the controller act in place of another system, whose kinds are there. */
  async letAct(
    system: keyof typeof systemRules,
    definitions: Parameters<typeof installKinds>[1],
  ): Promise<void> {
    await installKinds(this.client, definitions, systemClock);
    await this.#bindRules(`${clusterNames.controller}-${system}`, systemRules[system]);
  }

  /** Gives the controller what a setting takes. */
  async allow(setting: keyof typeof settingRules): Promise<void> {
    const name = `${clusterNames.controller}-${setting.toLowerCase()}`;
    await this.#bindRules(name, settingRules[setting]);
  }

  async #bindRules(name: string, rules: readonly AccessRule[]): Promise<void> {
    await this.#apply(rbacType('ClusterRole', false), { metadata: { name }, rules });
    await this.#apply(rbacType('ClusterRoleBinding', false), {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: clusterNames.controller, namespace }],
    });
  }

  /** Has what the controller answers for passed on to it; it is no Pod that a Service could select. */
  async #aggregate(): Promise<void> {
    const { apiService: name, controller } = clusterNames;
    const service = { name, namespace };
    const own = { name: `${controller}-api` };
    await this.#apply(coreType('Service', 'services'), {
      ...{ metadata: service, spec: { ports: [{ name: 'api', port: 443 }] } },
    });
    await this.#apply(coreType('Endpoints', 'endpoints'), {
      metadata: service,
      subsets: [
        {
          addresses: [{ ip: '127.0.0.1' }],
          ports: [{ name: 'api', port: this.#aggregatedPort }],
        },
      ],
    });
    for (const group of recordGroups) {
      await this.#apply(apiServiceType, {
        metadata: { name: `${recordsVersion}.${group}` },
        spec: {
          ...{ group, version: recordsVersion, service: { ...service, port: 443 } },
          ...{ groupPriorityMinimum: 1_000, versionPriority: 100 },
        },
      });
    }
    await this.#apply(rbacType('ClusterRole', false), { metadata: own, rules: aggregationRules });
    await this.#apply(rbacType('ClusterRoleBinding', false), {
      metadata: own,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', ...own },
      subjects: [{ kind: 'ServiceAccount', name: controller, namespace }],
    });
  }

  /** Has metrics asked of the controller, as an installation does that wants them. */
  async aggregateMetrics(): Promise<void> {
    const { apiService: name, controller } = clusterNames;
    const own = { name: `${controller}-metrics` };
    const groups = [customMetricsGroup, externalMetricsGroup] as const;
    const rules = groups.flatMap(metricsRules);
    await this.#apply(rbacType('ClusterRole', false), { metadata: own, rules });
    await this.#apply(rbacType('ClusterRoleBinding', false), {
      metadata: own,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', ...own },
      subjects: [{ kind: 'ServiceAccount', name: controller, namespace }],
    });
    for (const group of groups) {
      for (const version of metricsVersions[group]) {
        await this.#apply(apiServiceType, {
          metadata: { name: `${version}.${group}` },
          spec: {
            ...{ group, version, service: { name, namespace, port: 443 } },
            ...{ groupPriorityMinimum: 100, versionPriority: 100 },
          },
        });
      }
    }
  }

  /** What the controller may watch besides, as the API gathers it. */
  async #letWatch(): Promise<void> {
    const { watched: name, controller } = clusterNames;
    const aggregationRule = { clusterRoleSelectors: watchedRoles };
    await this.#apply(rbacType('ClusterRole', false), { metadata: { name }, aggregationRule });
    await this.#apply(rbacType('ClusterRoleBinding', false), {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: controller, namespace }],
    });
  }

  async #apply(
    type: ResourceType,
    object: Pick<KubeObject, 'metadata'> & Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
    await this.client.of(type).apply({ apiVersion, kind: type.kind, ...object }, { force: true });
  }

  async #kubeconfigOf(account: string): Promise<string> {
    const admin = await loadKubeconfig({ file: this.api.endpoints.kubeconfig, env: {} });
    const { server, caData = '' } = admin;
    const token = await this.#tokenOf(account, undefined);
    const text = formatKubeconfig({ name: account, server, caPem: caData, token });
    const file = join(this.api.dataDirectory, `${account}.kubeconfig`);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  }

  /** A Pod of the Gateway's on a Node that nobody runs Pods of. */
  async #podOn(nodeName: string): Promise<KubeObject['metadata']> {
    const name = `${clusterNames.gateway}-${this.#started}`;
    const containers = [{ name: 'gateway', image: 'fnlet' }];
    const made = await this.client.of<KubeObject>(coreType('Pod', 'pods')).apply(
      {
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } },
        spec: { nodeName, containers, serviceAccountName: clusterNames.gateway },
      },
      { force: true },
    );
    return made.metadata;
  }

  async #tokenOf(
    account: string,
    audience: string | undefined,
    pod?: KubeObject['metadata'],
  ): Promise<string> {
    const bound =
      pod === undefined ? {} : { boundObjectRef: { kind: 'Pod', name: pod.name, uid: pod.uid } };
    const answer = await this.client.transport.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { ...(audience === undefined ? {} : { audiences: [audience] }), ...bound },
      },
    });
    const { status } = JSON.parse(JSON.stringify(await answer.json()));
    return String(status.token);
  }

  /** Made by the controller that leads. */
  async #authority(): Promise<string> {
    const type = coreType('ConfigMap', 'configmaps');
    const key = { namespace, name: clusterNames.authorityConfigMap };
    const found = await until(
      () => this.client.of<KubeObject & { data?: Record<string, string> }>(type).tryGet(key),
      { what: 'the authority of the controller', timeoutMs: 60_000 },
    );
    return found.data?.['ca.crt'] ?? '';
  }

  async #start(
    name: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Part> {
    const [healthPort] = await freePorts(1);
    const replica = `${name}-${this.#started++}`;
    const flags = ['--health-port', `${healthPort}`, '--replica', replica];
    const child = spawn(process.execPath, [program, name, ...args, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: this.api.dataDirectory, ...environment },
    });
    const part = partOf(child, `http://127.0.0.1:${healthPort}`);
    this.#parts.push(part);
    return part;
  }
}

function partOf(child: ChildProcess, healthUrl: string): Part {
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  }
  return {
    pid: child.pid ?? 0,
    healthUrl,
    output: () => printed.join(''),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await ended;
    },
  };
}

const apiServiceType: ResourceType = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};

function coreType(kind: string, plural: string, namespaced = true): ResourceType {
  return { group: '', version: 'v1', kind, plural, namespaced };
}

function rbacType(kind: string, namespaced: boolean): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced };
}

/**
 * Ports that nobody listens on now, and that no connection is given before they are used: those
 * come from 32768 on.
 */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    const server = createServer();
    server.listen(randomInt(20_000, 32_768), '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) servers.push(server);
  }
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
