import {
  type FunctionObject,
  type FunctionSource,
  resolveResources,
  type ScaleMetric,
  type SourceStatus,
  type TriggerObject,
} from '@fnlet/api';
import { type Condition, findCondition } from '@fnlet/machinery';
import type { EventObject, PodObject } from './connection.ts';
import {
  ageOf,
  formatConditions,
  formatEvents,
  indent,
  indentTable,
} from './description-tables.ts';
import { formatTable } from './text-table.ts';

export interface DescriptionInput {
  readonly function: FunctionObject;
  readonly pods: readonly PodObject[];
  readonly events: readonly EventObject[];
  /** Those that lead to it. */
  readonly triggers: readonly TriggerObject[];
  readonly nowMs: number;
}

/** Everything that a person wants to know about a Function, the trouble first. */
export function formatDescription(input: DescriptionInput): string {
  const { metadata, spec, status } = input.function;
  const ready = findCondition(status?.conditions, 'Ready');
  const facts: [string, string][] = [
    ['Name', metadata.name],
    ['Namespace', metadata.namespace ?? ''],
    ['Ready', formatCondition(ready)],
    ['URL', status?.url ?? 'none yet'],
    ...(spec.visibility === 'internal' ? [pair('Visibility', 'internal')] : []),
    ['Runtime', describeRuntime(input.function)],
    ['Handler', spec.handler],
    ['Source', describeSource(spec.source, status?.source)],
    ['Revision', status?.revision ?? 'none yet'],
    ...describeTraffic(input.function),
    ['Timeout', spec.timeout],
    ...describeConfiguration(spec),
    ['Scale', describeScale(spec.scale)],
    ...describeScaling(input),
  ];
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  const head = facts.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}\n`).join('');
  const advice = ready?.status === 'False' ? formatAdvice(ready) : '';
  const { events, nowMs } = input;
  return [
    ...[head, advice, formatConditions(status?.conditions ?? [], nowMs)],
    ...[formatTriggers(input), formatPods(input), formatEvents(events, nowMs)],
  ].join('');
}

/** Where calls go, where that is not simply to one Revision, and how far a canary has come. */
function describeTraffic({ spec, status }: FunctionObject): [string, string][] {
  const { traffic = [], canary, latestRevision } = status ?? {};
  const isPlain = traffic.length === 1 && traffic[0]?.tag === undefined;
  const shares = traffic.map(({ revision, percent, tag }) => {
    return `${percent} % ${revision}${tag === undefined ? '' : ` (${tag})`}`;
  });
  const steps = spec.rollout?.canary?.steps.length ?? 1;
  const { phase, revision = '', step, message = '' } = canary ?? {};
  const rests = !traffic.some((share) => share.revision === revision && share.percent > 0);
  const progress = `step ${step} of ${steps}${rests ? ', which gets no calls now' : ''}`;
  const state = phase === 'Progressing' ? progress : `rolled back: ${message}`;
  const isPinned = latestRevision !== undefined && latestRevision !== status?.revision;
  return [
    ...(isPinned ? [pair('Newest', latestRevision)] : []),
    ...(isPlain || shares.length === 0 ? [] : [pair('Traffic', shares.join(', '))]),
    ...(canary === undefined ? [] : [pair('Canary', `${revision}, ${state}`)]),
  ];
}

/** What is said about the surroundings of the code, where something is. */
function describeConfiguration(spec: FunctionObject['spec']): [string, string][] {
  const { resources, mounts = [], serviceAccountName } = spec;
  const { requests, limits } = resolveResources(resources);
  const mounted = mounts.map(({ secret, configMap, path }) => {
    return `${secret === undefined ? `ConfigMap ${configMap}` : `Secret ${secret}`} at ${path}`;
  });
  return [
    ...(resources === undefined ? [] : [pair('Resources', describeLists(requests, limits))]),
    ...(mounted.length === 0 ? [] : [pair('Mounts', mounted.join(', '))]),
    ...(serviceAccountName === undefined ? [] : [pair('Acts as', serviceAccountName)]),
  ];
}

function describeScale(scale: FunctionObject['spec']['scale']): string {
  const { min, max, metric, target, metrics, limit, idleAfter, schedule, prediction } = scale;
  const targets = metrics?.map(describeMetric) ?? [
    `target ${target}${metric === undefined ? '' : ` ${metric}`}`,
  ];
  return [
    ...[`min ${min}`, `max ${max}`, ...targets, `limit ${limit}`, `idle after ${idleAfter}`],
    ...(schedule === undefined ? [] : ['scheduled']),
    ...(prediction === undefined ? [] : [`predicted ${prediction.ahead} ahead`]),
  ].join(', ');
}

function describeMetric(metric: ScaleMetric): string {
  const [[kind = '', source] = []] = Object.entries(metric);
  return `target ${source?.target} ${metric.prometheus?.name ?? kind}`;
}

/** Why there are as many Instances as there are. */
function describeScaling({ function: { status }, nowMs }: DescriptionInput): [string, string][] {
  const { from, to, reason, time } = status?.scaling ?? {};
  if (to === undefined) return [];
  return [pair('Scaled', `from ${from} to ${to}, ${ageOf(time, nowMs)} ago: ${reason}`)];
}

function pair(name: string, value: string): [string, string] {
  return [name, value];
}

function describeLists(
  requests: Readonly<Record<string, string>>,
  limits: Readonly<Record<string, string>>,
): string {
  const list = (values: Readonly<Record<string, string>>): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(' ') || 'none';
  return `requests ${list(requests)}, limits ${list(limits)}`;
}

function describeRuntime({ spec, status }: FunctionObject): string {
  const { runtime = spec.runtime } = status ?? {};
  return runtime === spec.runtime ? runtime : `${spec.runtime}, runs on ${runtime}`;
}

function formatCondition(condition: Condition | undefined): string {
  if (condition === undefined) return 'Unknown';
  const { status, reason } = condition;
  return reason === undefined || reason === status ? status : `${status} (${reason})`;
}

function describeSource(source: FunctionSource, found: SourceStatus = {}): string {
  const { files, configMap, archive, artifact, git, inline = '' } = source;
  if (files !== undefined) return Object.keys(files).join(', ');
  if (configMap !== undefined) return `ConfigMap ${configMap.name}`;
  if (archive !== undefined) {
    const digest = found.digest === undefined ? '' : `, sha256:${found.digest}`;
    return `archive ${archive.url ?? 'in the Function itself'}${digest}`;
  }
  if (artifact !== undefined) return `uploaded ${artifact}`;
  if (git !== undefined) {
    const { url, reference = 'HEAD', directory = '' } = git;
    const commit = found.commit === undefined ? '' : `, commit ${found.commit}`;
    return `git ${[url, directory].filter(Boolean).join(' ')} (${reference})${commit}`;
  }
  return `inline, ${inline.length} characters`;
}

/** What to do about each reason; what the message itself says is not repeated. */
const remedies: Readonly<Record<string, string>> = {
  LoadFailed: 'Mend the source at the place named above and deploy again.',
  EnvironmentNotFound: 'Create the Secret or ConfigMap; the Function notices by itself.',
  SourceNotFound: 'Create what is named above, or correct its name; it is looked for again.',
  SourceUnreachable: 'Check the network, the proxy and the url; it is tried again by itself.',
  SourceDenied: 'Check the Secret that secretRef names; a change of it is noticed.',
  ChecksumMismatch: 'Correct the checksum, or find out who changed the archive.',
  UnknownRuntime: 'Name one that there is (fnlet runtimes), or add a Runtime of this name.',
  RuntimeNotFound: 'Install the program; it is looked for again by itself.',
  SourceInvalid: 'Rename or shrink the files named above and deploy again.',
  ManifestInvalid: 'Mend the package.json at the place named above and deploy again.',
  DependencyNotFound: 'Correct the name or the version of the package and deploy again.',
  RegistryUnreachable:
    'Check the network and the registry (npm ping); it is tried again by itself.',
  RegistryDenied:
    'Correct .npmrc or pip.conf in the Secret serverless-package-registry-config of the namespace; ' +
    'a change of it is noticed.',
  InstallFailed: 'The last lines of the install are above; the package may need another version.',
  ServiceAccountNotFound: 'Create the ServiceAccount, or correct its name; it is looked for again.',
  ResourcesInvalid: 'Correct spec.resources and deploy again.',
  OOMKilled: 'Raise spec.resources.limits.memory, or have the code hold less at once.',
  CanaryFailed:
    'Mend the code and deploy again, or change spec.rollout.canary to try it once more.',
  InstancesMissing: 'Look at the Instances below; raise spec.scale.max if they are too few.',
  RevisionNotFound:
    'Name a Revision that there is (fnlet revisions), or drop it from spec.traffic.',
  InstanceCrashed: 'The process ended by itself; fnlet logs shows all that it said.',
  StartTimeout: 'The module takes too long to load: move slow work out of its top level.',
};

function formatAdvice({ reason = '', message = '' }: Condition): string {
  const remedy = remedies[reason];
  const todo = remedy === undefined ? '' : `What to do:\n  ${remedy}\n`;
  return `\nWhat is wrong:\n${indent(message)}\n${todo}`;
}

function formatTriggers({ triggers }: DescriptionInput): string {
  if (triggers.length === 0) return '';
  const rows = triggers.map(({ metadata, status = {} }) => {
    const ready = formatCondition(findCondition(status.conditions, 'Ready'));
    return [metadata.name, status.type ?? '', ready, status.url ?? ''];
  });
  return `\nTriggers:\n${indentTable(formatTable(['NAME', 'TYPE', 'READY', 'URL'], rows))}`;
}

function formatPods({ pods, nowMs }: DescriptionInput): string {
  if (pods.length === 0) return '\nInstances: none (asleep)\n';
  const rows = pods.map(({ metadata, status }) => {
    const container = status?.containerStatuses?.[0];
    return [
      metadata.name,
      status?.phase ?? '',
      String(container?.ready ?? false),
      String(container?.restartCount ?? 0),
      container?.lastState?.terminated?.reason ?? '',
      ageOf(metadata.creationTimestamp, nowMs),
    ];
  });
  const table = formatTable(['NAME', 'PHASE', 'READY', 'RESTARTS', 'LAST END', 'AGE'], rows);
  return `\nInstances:\n${indentTable(table)}`;
}
