/** Settings of an installation, declared once: values, chart, schema and documentation are made of them. */
import { isJsonObject, type JsonObject, unreachable } from '@fnlet/base';
import { compareQuantities, parseQuantity } from '@fnlet/machinery';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import {
  findFieldMistake,
  findTextMistake,
  findTolerationMistake,
  type Mistake,
} from './find-mistake.ts';

/** A `quantity` is a text as Kubernetes writes resources; `fields` have texts, a `list` has objects. */
export type InstallSettingKind = 'text' | 'quantity' | 'count' | 'switch' | 'fields' | 'list';

export interface InstallSetting {
  /** Where it stands in a file of values, such as `gateway.minReplicas`. */
  readonly path: string;
  readonly kind: InstallSettingKind;
  readonly default: string | number | boolean | JsonObject | readonly unknown[];
  readonly choices?: readonly string[];
  readonly description: string;
}

/** Values by the paths of their settings; each setting has one. */
export type InstallValues = Readonly<Record<string, unknown>>;

function words(path: string, fallback: string, description: string): InstallSetting {
  return { path, kind: 'text', default: fallback, description };
}

function quantity(path: string, fallback: string, description: string): InstallSetting {
  return { path, kind: 'quantity', default: fallback, description };
}

function count(path: string, fallback: number, description: string): InstallSetting {
  return { path, kind: 'count', default: fallback, description };
}

function onOff(path: string, fallback: boolean, description: string): InstallSetting {
  return { path, kind: 'switch', default: fallback, description };
}

function place(part: string): InstallSetting[] {
  const selector = `labels of the nodes that the ${part} runs on`;
  return [
    { path: `${part}.nodeSelector`, kind: 'fields', default: {}, description: selector },
    {
      path: `${part}.tolerations`,
      kind: 'list',
      default: [],
      description: `taints that the ${part} tolerates, as in a Pod`,
    },
  ];
}

/** Every setting of an installation but its namespace. */
export const installSettings: readonly InstallSetting[] = [
  words('image', '', "image of Fnlet's own parts, made with deploy/Dockerfile"),
  words('registry', '', 'where the images of Node and Python come from, such as a mirror'),
  {
    path: 'imagePullPolicy',
    kind: 'text',
    default: 'IfNotPresent',
    choices: ['IfNotPresent', 'Always', 'Never'],
    description: "when the image of Fnlet's own parts is pulled",
  },
  {
    path: 'imagePullSecrets',
    kind: 'list',
    default: [],
    description: 'Secrets to pull it with, such as [{name: pull}]',
  },
  {
    path: 'logLevel',
    kind: 'text',
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error'],
    description: 'how much controller and Gateway say',
  },
  words('bodyLimit', '6Mi', 'largest request body that a function is sent'),
  onOff(
    'priorityClass',
    true,
    'make a PriorityClass: functions give way to Fnlet, not the reverse',
  ),
  onOff(
    'networkPolicies',
    true,
    'say by NetworkPolicies who may reach controller, Gateway and functions',
  ),
  onOff(
    'aggregatedApi',
    true,
    "answer for events, calls and runs of Operators in the cluster's API (APIServices)",
  ),
  onOff('podMonitor', false, 'make a PodMonitor of the Prometheus Operator, which must be there'),
  onOff(
    'metricsApi.custom',
    false,
    'serve numbers of functions as custom.metrics.k8s.io, which a cluster has from one server alone',
  ),
  onOff(
    'metricsApi.external',
    false,
    'serve them as external.metrics.k8s.io, too; not beside KEDA, which serves it itself',
  ),
  count('controller.replicas', 2, 'one leads, the others stand by'),
  quantity('controller.cpu', '100m', 'CPU that the controller asks for'),
  quantity('controller.memory', '256Mi', 'memory that it asks for'),
  quantity('controller.memoryLimit', '1Gi', 'memory that it may use'),
  ...place('controller'),
  count('gateway.minReplicas', 2, 'least replicas of the Gateway'),
  count('gateway.maxReplicas', 10, 'most replicas of the Gateway'),
  count('gateway.cpuTarget', 70, 'percent of the CPU asked for at which there are more of them'),
  quantity('gateway.cpu', '200m', 'CPU that a Gateway asks for'),
  quantity('gateway.memory', '128Mi', 'memory that it asks for'),
  quantity('gateway.memoryLimit', '512Mi', 'memory that it may use'),
  {
    path: 'gateway.serviceType',
    kind: 'text',
    default: 'ClusterIP',
    choices: ['ClusterIP', 'NodePort', 'LoadBalancer'],
    description: 'type of the Service of the Gateway',
  },
  {
    path: 'gateway.serviceAnnotations',
    kind: 'fields',
    default: {},
    description: 'annotations of that Service, which load balancers read',
  },
  words('gateway.url', '', 'where people reach the Gateway; empty: its name in the cluster'),
  words('gateway.trustedProxies', '0', 'proxies before it: how many, or CIDRs'),
  {
    path: 'gateway.accessLog',
    kind: 'text',
    default: 'off',
    choices: ['off', 'stdout', 'stderr'],
    description: 'where it writes a line about each request',
  },
  words(
    'gateway.tracesEndpoint',
    '',
    'collector that it sends spans to: OTLP over HTTP, such as http://collector.monitoring:4318',
  ),
  ...place('gateway'),
  words(
    'ingress.className',
    '',
    'IngressClass, such as nginx: each Trigger with the source http has an Ingress then',
  ),
  words('ingress.annotations', '', 'annotations of these Ingresses, one name=value a line'),
  words(
    'httpRoute.parentRef',
    '',
    'Gateway of the Gateway API, namespace/name[/listener]: each such Trigger has an HTTPRoute then',
  ),
  onOff('nats.enabled', false, 'install NATS, with JetStream on volumes, for the events'),
  onOff('nats.cluster', false, 'three servers, each event on all of them; else one server'),
  words('nats.image', 'nats:2.11-alpine', 'its image'),
  quantity('nats.size', '10Gi', 'size of the volume of a server; it stays as it is'),
  words('nats.storageClass', '', 'StorageClass of it; empty: the default one'),
  quantity('nats.memoryLimit', '512Mi', 'memory that a server may use'),
  words(
    'events.log',
    '',
    'NATS that keeps events, as for --events-log; empty: the directory of the controller',
  ),
  words('events.logSecret', '', 'Secret that has it under "url" instead, for passwords in it'),
  onOff('systems.kyma', false, 'act on objects of Kyma, whose own controllers are not there'),
  onOff('systems.kubeless', false, 'act on objects of Kubeless, whose controllers are not there'),
  onOff(
    'artifacts.persistent',
    false,
    'keep artifacts in a volume, and events without NATS; else artifacts are made again',
  ),
  quantity('artifacts.size', '10Gi', 'size of that volume'),
  words('artifacts.storageClass', '', 'StorageClass of it; empty: the default one'),
  {
    path: 'artifacts.accessMode',
    kind: 'text',
    default: 'ReadWriteMany',
    choices: ['ReadWriteMany', 'ReadWriteOnce'],
    description: 'ReadWriteOnce only with one replica of the controller',
  },
  words(
    'artifacts.bucket',
    '',
    'bucket that keeps artifacts: s3://name[/prefix][?endpoint=https://…&region=…&style=path]',
  ),
  words(
    'artifacts.bucketSecret',
    '',
    'Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for it',
  ),
];

/** What holds where nothing else is said. */
export const defaultValues: InstallValues = Object.fromEntries(
  installSettings.map(({ path, default: fallback }) => [path, fallback]),
);

/**
 * Values as a file nests them, over those that held before.
 *
 * @throws CliError `usage` for a setting that there is not, or a value that it cannot have
 */
export function parseInstallValues(
  file: unknown,
  before: InstallValues = defaultValues,
): InstallValues {
  if (file === undefined || file === null) return before;
  const given = isJsonObject(file) ? flatten(file) : refuse('values', file, 'settings with values');
  for (const [path, found] of Object.entries(given)) {
    const setting = installSettings.find((known) => known.path === path);
    if (setting === undefined) throw unknownSetting(path);
    checkValue(setting, found);
  }
  const values = { ...before, ...given };
  checkTogether(values);
  return values;
}

/** What each may be, but not beside another one. */
function checkTogether(values: InstallValues): void {
  checkSizes(values);
  const { 'controller.replicas': replicas, 'artifacts.accessMode': mode } = values;
  if (values['artifacts.persistent'] && mode === 'ReadWriteOnce' && replicas !== 1) {
    refuse('artifacts.accessMode', mode, 'ReadWriteMany, or controller.replicas of 1');
  }
  const { 'artifacts.bucket': bucket, 'artifacts.bucketSecret': keys } = values;
  if ((bucket === '') !== (keys === '')) {
    refuse('artifacts.bucketSecret', keys, 'artifacts.bucket and a Secret for it, or neither');
  }
  const metrics = ['metricsApi.custom', 'metricsApi.external'].find(
    (path) => values[path] === true,
  );
  if (metrics !== undefined && values.aggregatedApi === false) {
    refuse(metrics, true, 'aggregatedApi: true beside it');
  }
  const { 'events.log': log, 'events.logSecret': secret } = values;
  if (log !== '' && secret !== '') refuse('events.logSecret', secret, 'no events.log beside it');
  if (values['nats.enabled'] === true && (log !== '' || secret !== '')) {
    refuse('nats.enabled', true, 'no events.log and no events.logSecret beside it');
  }
}

/** The API would refuse these when half of the installation is applied already. */
function checkSizes(values: InstallValues): void {
  const { 'gateway.minReplicas': least, 'gateway.maxReplicas': most } = values;
  if (Number(least) > Number(most)) {
    refuse('gateway.minReplicas', least, `at most gateway.maxReplicas, which is ${most}`);
  }
  for (const part of ['controller', 'gateway']) {
    const { [`${part}.memory`]: asked, [`${part}.memoryLimit`]: limit } = values;
    const [a, b] = [parseQuantity(String(asked)), parseQuantity(String(limit))];
    if (a === undefined || b === undefined || compareQuantities(a, b) <= 0) continue;
    refuse(`${part}.memory`, asked, `at most ${part}.memoryLimit, which is ${limit}`);
  }
}

/** Divides what a file of another release says into settings that there are, and paths of others. */
export function selectSettings(file: unknown): {
  readonly known: unknown;
  readonly unknown: readonly string[];
} {
  if (!isJsonObject(file)) return { known: file, unknown: [] };
  const given = Object.entries(flatten(file));
  const isSetting = (path: string): boolean => installSettings.some((known) => known.path === path);
  const known = Object.fromEntries(given.filter(([path]) => isSetting(path)));
  const unknown = given.flatMap(([path]) => (isSetting(path) ? [] : [path]));
  return { known: nestValues({ ...defaultValues, ...known }), unknown };
}

/** Values nested as in a file, without those that are the default. */
export function nestValues(values: InstallValues): JsonObject {
  const changed = installSettings.filter(
    ({ path, default: fallback }) => JSON.stringify(values[path]) !== JSON.stringify(fallback),
  );
  const file: Record<string, unknown> = {};
  for (const { path } of changed) {
    const [group = '', name] = path.split('.');
    const members = file[group];
    file[group] =
      name === undefined
        ? values[path]
        : { ...(isJsonObject(members) ? members : {}), [name]: values[path] };
  }
  return file;
}

const groups = new Set(
  installSettings.flatMap(({ path }) => (path.includes('.') ? [path.split('.')[0]] : [])),
);

function flatten(file: JsonObject): Record<string, unknown> {
  const entries = Object.entries(file).flatMap(([name, found]) => {
    if (!groups.has(name)) return [[name, found] as const];
    if (!isJsonObject(found)) return refuse(name, found, 'settings with values');
    return Object.entries(found).map(([member, its]) => [`${name}.${member}`, its] as const);
  });
  return Object.fromEntries(entries);
}

function checkValue({ path, kind, choices }: InstallSetting, found: unknown): void {
  switch (kind) {
    case 'text':
      if (typeof found !== 'string') refuse(path, found, 'a text');
      if (choices !== undefined && !choices.includes(String(found))) {
        refuse(path, found, choices.join(' or '));
      }
      refuseMistake(findTextMistake(path, String(found)));
      break;
    case 'quantity':
      if (typeof found !== 'string' || !isQuantity(found)) {
        refuse(path, found, 'a quantity as text, such as "250m" or "1Gi"');
      }
      break;
    case 'count':
      if (!Number.isInteger(found) || Number(found) < 1) refuse(path, found, 'a number from 1');
      break;
    case 'switch':
      if (typeof found !== 'boolean') refuse(path, found, 'true or false');
      break;
    case 'fields':
      checkTextFields(path, found);
      break;
    case 'list':
      if (!Array.isArray(found) || !found.every(isJsonObject)) {
        refuse(path, found, 'a list of objects, such as [{name: …}]');
      }
      if (path.endsWith('.tolerations')) refuseMistake(findTolerationMistake(path, found));
      break;
    default:
      unreachable(kind);
  }
}

function checkTextFields(path: string, found: unknown): void {
  const fields = isJsonObject(found) ? found : refuse(path, found, 'fields with values');
  for (const [name, its] of Object.entries(fields)) {
    if (typeof its !== 'string') refuse(`${path}.${name}`, its, 'a text, such as "true"');
    refuseMistake(findFieldMistake(path, { [name]: its }));
  }
}

function refuseMistake(mistake: Mistake | undefined): void {
  if (mistake !== undefined) refuse(mistake.path, mistake.found, mistake.expected);
}

function isQuantity(text: string): boolean {
  const parsed = parseQuantity(text);
  return parsed !== undefined && parsed.nano > 0n;
}

function unknownSetting(path: string): CliError {
  const message = `Cannot use the values: found "${path}", expected a setting of the installation`;
  return new CliError(exitCodes.usage, message, { remedy: 'See docs/cluster.md for all of them' });
}

function refuse(path: string, found: unknown, expected: string): never {
  const text = `Cannot use "${path}": found ${JSON.stringify(found)}, expected ${expected}`;
  throw new CliError(exitCodes.usage, text);
}
