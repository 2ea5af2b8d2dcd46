import type { KubelessFunctionObject, KubelessFunctionSpec } from '@fnlet/api/kubeless';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { PlannedCode } from './plan-code.ts';

/** What `kubeless function deploy` and `update` are told. */
export interface FunctionFlags {
  readonly runtime?: string;
  readonly handler?: string;
  readonly label: readonly string[];
  readonly secrets: readonly string[];
  readonly env: readonly string[];
  readonly nodeSelectors: readonly string[];
  readonly serviceAccount?: string;
  readonly memory?: string;
  readonly cpu?: string;
  readonly runtimeImage?: string;
  readonly imagePullPolicy?: string;
  /** Seconds. */
  readonly timeout?: string;
  readonly headless?: boolean;
  readonly port?: number;
  readonly servicePort?: number;
}

/** A function to be deployed or updated. */
export interface FunctionWish {
  readonly name: string;
  readonly namespace: string;
  readonly flags: FunctionFlags;
  readonly code?: PlannedCode;
  /** Text of the dependency file. */
  readonly dependencies?: string;
}

const defaults = { timeout: '180', port: 8080 } as const;

/** A new function, with the defaults of Kubeless's command. */
export function planDeployment(wish: FunctionWish): KubelessFunctionObject {
  const { timeout, port } = defaults;
  const metadata = { name: wish.name, namespace: wish.namespace };
  const empty = { apiVersion: 'kubeless.io/v1beta1', kind: 'Function', metadata, spec: {} };
  return planUpdate(empty, { ...wish, flags: { timeout, port, ...wish.flags } });
}

/** The function as the flags change it: what they do not name stays as it was. */
export function planUpdate(
  before: KubelessFunctionObject,
  wish: FunctionWish,
): KubelessFunctionObject {
  const { flags, code, dependencies } = wish;
  const { metadata, spec } = before;
  const given = {
    handler: flags.handler,
    runtime: flags.runtime,
    timeout: flags.timeout,
    deps: dependencies,
  };
  return {
    ...before,
    metadata: {
      ...metadata,
      labels: { 'created-by': 'kubeless', ...metadata.labels, ...pairs(flags.label) },
    },
    spec: {
      ...spec,
      ...present(given),
      ...code,
      deployment: planPodChanges(spec, flags),
      ...planService(wish),
    },
  };
}

/** Names and values, with `=` or `:` between them; without either, an empty value. */
export function pairs(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name = '', value = ''] = /^([^=:]*)[=:]?([\s\S]*)$/.exec(word) ?? [];
      return [name, value];
    }),
  );
}

function planPodChanges(spec: KubelessFunctionSpec, flags: FunctionFlags): JsonObject {
  const deployment = objectIn({ ...spec }, 'deployment');
  const deploymentSpec = objectIn(deployment, 'spec');
  const template = objectIn(deploymentSpec, 'template');
  const pod = objectIn(template, 'spec');
  const [container = {}, ...sidecars] = listIn(pod, 'containers');
  const changed = {
    ...pod,
    ...addMounts(pod, container, flags.secrets),
    ...present({ serviceAccountName: flags.serviceAccount }),
    ...(flags.nodeSelectors.length === 0 ? {} : { nodeSelector: pairs(flags.nodeSelectors) }),
  };
  const [mounted = {}] = listIn(changed, 'containers');
  const containers = [{ ...mounted, ...planContainer(container, flags) }, ...sidecars];
  return {
    ...deployment,
    spec: { ...deploymentSpec, template: { ...template, spec: { ...changed, containers } } },
  };
}

function planContainer(container: JsonObject, flags: FunctionFlags): JsonObject {
  const bounds = present({ memory: flags.memory, cpu: flags.cpu });
  const resources = objectIn(container, 'resources');
  const env = Object.entries(pairs(flags.env)).map(([name, value]) => ({ name, value }));
  return {
    ...present({ image: flags.runtimeImage, imagePullPolicy: flags.imagePullPolicy }),
    ...(env.length === 0 ? {} : { env }),
    ...(Object.keys(bounds).length === 0
      ? {}
      : {
          resources: {
            limits: { ...objectIn(resources, 'limits'), ...bounds },
            requests: { ...objectIn(resources, 'requests'), ...bounds },
          },
        }),
  };
}

/** Each Secret at `/<secret>`, as Kubeless's users find it; those that are there stay. */
function addMounts(pod: JsonObject, container: JsonObject, secrets: readonly string[]): JsonObject {
  const volumes = listIn(pod, 'volumes');
  const mounts = listIn(container, 'volumeMounts');
  const added = secrets.filter((name) => !volumes.some((volume) => volume.name === `${name}-vol`));
  if (added.length === 0) return { containers: [container] };
  return {
    volumes: [
      ...volumes,
      ...added.map((name) => ({ name: `${name}-vol`, secret: { secretName: name } })),
    ],
    containers: [
      {
        ...container,
        volumeMounts: [
          ...mounts,
          ...added.map((name) => ({ name: `${name}-vol`, mountPath: `/${name}` })),
        ],
      },
    ],
  };
}

function planService({ name, flags }: FunctionWish): Pick<KubelessFunctionSpec, 'service'> {
  const { port, servicePort, headless } = flags;
  if (port === undefined && servicePort === undefined && headless === undefined) return {};
  const targetPort = port ?? defaults.port;
  const ports = [
    {
      name: 'http-function-port',
      protocol: 'TCP',
      port: servicePort || targetPort,
      targetPort,
    },
  ];
  const selector = { 'created-by': 'kubeless', function: name };
  const address = headless === true ? { clusterIP: 'None' } : {};
  return { service: { type: 'ClusterIP', ...address, selector, ports } };
}

function present<T>(fields: Readonly<Record<string, T | undefined>>): Record<string, T> {
  const given: Record<string, T> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) given[name] = value;
  return given;
}

function objectIn(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isJsonObject(found) ? found : {};
}

function listIn(object: JsonObject, name: string): readonly JsonObject[] {
  const found = object[name];
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}
