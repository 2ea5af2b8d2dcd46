import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';

/** Kinds that objects of Fnlet name and that are not Fnlet's own. */
export type ReferredKind = 'Secret' | 'ConfigMap' | 'ServiceAccount';

/** An object that another one of the same namespace names. */
export interface ObjectReference {
  readonly kind: ReferredKind;
  readonly name: string;
}

/**
 * What an object of Fnlet names in its namespace: environments, mounts, sources, credentials of
 * event sources, certificates, accounts. Each once, in the order in which they are named.
 */
export function referencesOf({ spec, imagePullSecrets }: KubeObject): readonly ObjectReference[] {
  const found = new Map<string, ObjectReference>();
  const add = (kind: ReferredKind, name: unknown): void => {
    if (typeof name !== 'string' || name === '') return;
    // Every namespace has it.
    if (kind === 'ServiceAccount' && name === 'default') return;
    found.set(`${kind}/${name}`, { kind, name });
  };
  visit({ spec, imagePullSecrets }, add);
  return [...found.values()];
}

type Add = (kind: ReferredKind, name: unknown) => void;

/**
 * The kinds of Fnlet and the Pods in them name others by the same fields (core/v1 and
 * `packages/api`), so that one walk finds those of every source, also of ones to come.
 */
const namedBy: Readonly<Record<string, ReferredKind>> = {
  secret: 'Secret',
  secretName: 'Secret',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
  imagePullSecrets: 'Secret',
  configMap: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  serviceAccountName: 'ServiceAccount',
};

/** What these hold is the user's: names of files, texts, other objects. */
const opaque: ReadonlySet<string> = new Set([
  ...['inline', 'files', 'data', 'labels', 'annotations', 'crds', 'args', 'command'],
]);

function visit(value: unknown, add: Add): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, add);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [field, member] of Object.entries(value)) {
    if (opaque.has(field)) continue;
    const kind = Object.hasOwn(namedBy, field) ? namedBy[field] : undefined;
    if (kind !== undefined) for (const name of namesIn(member)) add(kind, name);
    visit(member, add);
  }
}

/** A name as it stands, in an object, or in a list of these. */
function namesIn(member: unknown): readonly unknown[] {
  if (typeof member === 'string') return [member];
  if (Array.isArray(member)) return member.flatMap(namesIn);
  return isJsonObject(member) ? [nameOf(member)] : [];
}

function nameOf({ name, secretName }: JsonObject): unknown {
  return name ?? secretName;
}
