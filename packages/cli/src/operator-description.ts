import type { MissingPermission, OperatorObject } from '@fnlet/api';
import type { JsonObject } from '@fnlet/base';
import { findCondition } from '@fnlet/machinery';
import type { EventObject } from './connection.ts';
import { ageOf, formatConditions, formatEvents } from './description-tables.ts';
import { formatRuns } from './operator-records.ts';

export interface OperatorDescription {
  readonly operator: OperatorObject;
  /** Its last ones, newest first, as the API lists them. */
  readonly runs: readonly JsonObject[];
  readonly events: readonly EventObject[];
  readonly nowMs: number;
}

/** Everything that a person wants to know about an Operator, the trouble first. */
export function formatOperatorDescription({
  operator,
  runs,
  events,
  nowMs,
}: OperatorDescription): string {
  const { metadata, spec, status = {} } = operator;
  const { conditions = [], missingPermissions = [] } = status;
  const ready = findCondition(conditions, 'Ready');
  const reason = ready?.reason === undefined ? '' : ` (${ready.reason})`;
  const message = ready?.status === 'True' || !ready?.message ? '' : `: ${ready.message}`;
  const account = spec.serviceAccountName ?? 'default';
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', metadata.name],
    ['Namespace', metadata.namespace],
    ['Ready', `${ready?.status ?? 'Unknown'}${reason}${message}`],
    ['For', describeKind(spec.for, spec.select)],
    ['Namespaces', spec.namespaces?.join(', ')],
    ...(spec.owns ?? []).map((kind) => ['Owns', describeKind(kind, kind.selector)] as const),
    ...(spec.watches ?? []).map((kind) => {
      const map = kind.map === undefined ? 'the function says whom it concerns' : kind.map;
      return ['Watches', `${describeKind(kind, kind.selector)}: ${map}`] as const;
    }),
    ['When', spec.when && JSON.stringify(spec.when)],
    ['Function', describeFunction(operator)],
    ['Acts as', `ServiceAccount ${account}`],
    ['Runs', `${spec.concurrency} at once, ${spec.deadline} each, all again every ${spec.resync}`],
    ['Objects', describeObjects(status)],
    ['Last run', status.lastRun && `${ageOf(status.lastRun, nowMs)} ago`],
    ['Next due', status.nextDue],
  ];
  const head = facts.map(([name, value]) => {
    return value === undefined ? '' : `${`${name}:`.padEnd(14)} ${value}\n`;
  });
  const rules = describeMissing(missingPermissions, metadata.name);
  const last = formatRuns(runs, { nowMs, hasObject: true });
  return [...head, rules, formatConditions(conditions, nowMs), last, formatEvents(events, nowMs)]
    .filter((part) => part !== '')
    .join('');
}

/** The Function that an Operator calls. */
export function functionOf({ metadata, spec, status }: OperatorObject): string {
  return status?.function ?? spec.reconcile.function ?? metadata.name;
}

function describeFunction(operator: OperatorObject): string {
  const { awake } = operator.status ?? {};
  const state = awake === undefined ? '' : awake ? ', awake' : ', asleep';
  const { hooks, reconcile } = operator.spec;
  const from = reconcile.function === undefined ? ` (its own, ${reconcile.runtime})` : '';
  const style = hooks === undefined ? '' : `, hooks of Metacontroller (${hooks.style})`;
  return `${functionOf(operator)}${from}${state}${style}`;
}

function describeKind(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  selector: string | undefined,
): string {
  return `${kind} (${apiVersion})${selector === undefined ? '' : ` with ${selector}`}`;
}

function describeObjects({
  objects,
  queue = 0,
}: NonNullable<OperatorObject['status']>): string | undefined {
  if (objects === undefined) return undefined;
  const { total = 0, settled = 0, failing = 0 } = objects;
  return `${total}, of which settled ${settled}, failing ${failing}; in the queue ${queue}`;
}

function describeMissing(missing: readonly MissingPermission[], name: string): string {
  if (missing.length === 0) return '';
  const lines = missing.map(({ apiGroups = [], resources = [], verbs = [], namespace }) => {
    const what = resources.map((resource) => {
      return apiGroups.map((group) => (group === '' ? resource : `${resource} (${group})`)).join();
    });
    const where = namespace === undefined ? 'everywhere' : `in ${namespace}`;
    return `  ${verbs.join(', ')} ${what.join(', ')} ${where}\n`;
  });
  return `\nMissing permissions, see fnlet operator rbac ${name}:\n${lines.join('')}`;
}
