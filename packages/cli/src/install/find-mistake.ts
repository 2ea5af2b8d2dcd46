import type { JsonObject } from '@fnlet/base';
import { labelValueProblems, qualifiedNameProblems } from '@fnlet/machinery';

/** What is in the way of a value, and what was expected in its place. */
export interface Mistake {
  readonly path: string;
  readonly found: unknown;
  readonly expected: string;
}

/** A host with a port, then folders: Kubernetes takes no scheme, and no space. */
const registry =
  /^([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9a-f:]+\])(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/;
/** Of an image enough that a node tries to pull it (distribution/reference). */
const image = /^[A-Za-z0-9[][A-Za-z0-9.:_\-/[\]]*(@sha256:[0-9a-f]{64})?$/;

const operators: readonly unknown[] = [undefined, 'Exists', 'Equal'];
const effects: readonly unknown[] = [
  ...[undefined, '', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'],
];

/** A text that would only fail where Pods are made of it; `undefined`: there is none. */
export function findTextMistake(path: string, found: string): Mistake | undefined {
  if (found === '') return undefined;
  if (path === 'registry' && !registry.test(found)) {
    return { path, found, expected: 'a host and folders, such as registry.example:5000/mirror' };
  }
  if ((path === 'image' || path === 'nats.image') && !image.test(found)) {
    return { path, found, expected: 'the name of an image, such as registry.example/fnlet:0.1.0' };
  }
  return undefined;
}

/** The first label or annotation that the API would refuse; `undefined`: there is none. */
export function findFieldMistake(
  path: string,
  fields: Readonly<Record<string, string>>,
): Mistake | undefined {
  for (const [name, found] of Object.entries(fields)) {
    const [named] = qualifiedNameProblems(name);
    if (named !== undefined) return { path, found: name, expected: `a name: ${named}` };
    const [told] = path.endsWith('.nodeSelector') ? labelValueProblems(found) : [];
    if (told !== undefined) return { path: `${path}.${name}`, found, expected: `a label: ${told}` };
  }
  return undefined;
}

/** The first toleration that the API would refuse; `undefined`: there is none. */
export function findTolerationMistake(
  path: string,
  tolerations: readonly JsonObject[],
): Mistake | undefined {
  for (const { operator, effect, key } of tolerations) {
    if (!operators.includes(operator)) {
      return { path, found: operator, expected: 'the operator Exists or Equal' };
    }
    if (!effects.includes(effect)) {
      return { path, found: effect, expected: 'NoSchedule, PreferNoSchedule or NoExecute' };
    }
    if ((key === undefined || key === '') && operator !== 'Exists') {
      return { path, found: operator, expected: 'Exists where there is no key' };
    }
  }
  return undefined;
}
