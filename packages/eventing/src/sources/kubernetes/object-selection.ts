import type { KubernetesSource, ObjectChangeKind } from '@fnlet/api';
import { errorMessage, isJsonObject } from '@fnlet/base';
import {
  type FieldSelector,
  type KubeObject,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '@fnlet/machinery';
import { type CelProgram, compileCel } from '@fnlet/schema';
import { SourceError } from '../source-error.ts';
import { kubernetesLimits } from './limits.ts';

/** What became of an object, and what it was before, as far as that is known. */
export interface ObjectChange {
  readonly kind: ObjectChangeKind;
  /** As it is now; of one that is gone, as it was last. */
  readonly object: KubeObject;
  readonly oldObject: KubeObject | undefined;
}

/** Which objects a Trigger follows, and which of their changes are events. */
export interface ObjectSelection {
  /** Whether the object is one of those that it follows. */
  selects(object: KubeObject): boolean;
  /** Whether the change is an event. */
  passes(change: ObjectChange): boolean;
}

/**
 * @throws SourceError `InvalidSource` for a selector or an expression that cannot be read
 */
export function compileSelection(spec: KubernetesSource, namespace: string): ObjectSelection {
  const { namespaces = [namespace], labelSelector = '', fieldSelector = '' } = spec;
  const { changes = ['add', 'update', 'delete'], generationChanged = false } = spec;
  const labels = read(`labelSelector "${labelSelector}"`, () => parseLabelSelector(labelSelector));
  const fields = read(`fieldSelector "${fieldSelector}"`, () => parseFieldSelector(fieldSelector));
  if (spec.metadataOnly === true) requireMetadata(fields, fieldSelector);
  const judge = spec.when === undefined ? () => true : compileJudge(spec.when);
  const isEverywhere = namespaces.includes('*');
  return {
    selects(object) {
      const { namespace: own, labels: given } = object.metadata;
      if (!isEverywhere && own !== undefined && !namespaces.includes(own)) return false;
      return matchesLabels(labels, given) && matchesFields(fields, (path) => valueAt(object, path));
    },
    passes(change) {
      const { kind, object, oldObject } = change;
      if (!changes.includes(kind)) return false;
      const isSame = object.metadata.generation === oldObject?.metadata.generation;
      const hasGeneration = object.metadata.generation !== undefined;
      if (generationChanged && kind === 'update' && hasGeneration && isSame) return false;
      return judge(change);
    },
  };
}

/** Nothing else is there to select by: the Trigger would never see an object. */
function requireMetadata({ requirements }: FieldSelector, text: string): void {
  const other = requirements.find(({ field }) => !/^(?:metadata\.|apiVersion$|kind$)/.test(field));
  if (other === undefined) return;
  const found = `found "${other.field}", expected fields of metadata, as metadataOnly is true`;
  throw new SourceError('InvalidSource', `Cannot use fieldSelector "${text}": ${found}`);
}

function compileJudge(expression: string): (change: ObjectChange) => boolean {
  const program = read(`when "${expression}"`, () => compileTest(expression));
  const needsOld = program.variables.has('oldObject');
  return ({ object, oldObject }) => {
    if (needsOld && oldObject === undefined) return true;
    try {
      const values = oldObject === undefined ? { object } : { object, oldObject };
      const { celCostMax: costMax } = kubernetesLimits;
      return program.evaluate(values, { costMax }) !== false;
    } catch {
      // What cannot be judged passes: nothing is lost by a field that is not there.
      return true;
    }
  };
}

function compileTest(expression: string): CelProgram {
  const program = compileCel(expression, { object: 'dyn', oldObject: 'dyn' });
  if (program.type === 'bool' || program.type === 'dyn') return program;
  throw new Error(`found an expression of type ${program.type}, expected a bool`);
}

function read<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new SourceError('InvalidSource', `Cannot use ${what}: ${errorMessage(cause)}`, { cause });
  }
}

function valueAt(object: KubeObject, path: string): string | undefined {
  let value: unknown = object;
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value === undefined || value === null || typeof value === 'object'
    ? undefined
    : String(value);
}
