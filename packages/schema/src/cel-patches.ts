import { asString, type CelOverload, overload } from './cel-function.ts';
import { type CelStructType, type CelType, dynType } from './cel-type.ts';

/** Before the dot of what only mutations may call. */
export const patchLibrary = 'jsonpatch';

/** Kubernetes' jsonpatch library. */
export const celPatchFunctions = (): readonly CelOverload[] => [
  overload(`${patchLibrary}::escapeKey(string): string`, ([key], machine) => {
    const text = asString(key);
    machine.charge(text.length);
    return text.replaceAll('~', '~0').replaceAll('/', '~1');
  }),
];

const string: CelType = { kind: 'string' };
const jsonPatch: CelStructType = {
  kind: 'struct',
  name: 'JSONPatch',
  fields: new Map([
    ['op', string],
    ['from', string],
    ['path', string],
    ['value', dynType],
  ]),
};

/** That of the whole object, below which the types of its fields have their names. */
const objectName = 'Object';

/**
 * The type that a mutation may construct by this name: `JSONPatch`, `Object`, and of the field
 * `spec.template` of an object `Object.spec.template` (apiserver, cel/mutation).
 */
export function patchType(name: string): CelStructType | undefined {
  if (name === jsonPatch.name) return jsonPatch;
  const isObject = name === objectName || name.startsWith(`${objectName}.`);
  return isObject ? { kind: 'struct', name } : undefined;
}
