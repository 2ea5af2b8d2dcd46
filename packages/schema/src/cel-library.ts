import { celAuthorizationFunctions } from './cel-authorization.ts';
import { celConversions } from './cel-conversions.ts';
import { celFormatFunctions } from './cel-formats.ts';
import type { CelOverload } from './cel-function.ts';
import { celListFunctions } from './cel-lists.ts';
import { celNetworkFunctions } from './cel-network.ts';
import { celOperators } from './cel-operators.ts';
import { celOptionalFunctions } from './cel-optionals.ts';
import { celPatchFunctions } from './cel-patches.ts';
import { celQuantityFunctions } from './cel-quantity.ts';
import { celSemverFunctions } from './cel-semver.ts';
import { celStringFunctions } from './cel-strings.ts';
import { celTimeFunctions } from './cel-time.ts';

/**
 * Every function by name: what Kubernetes gives to validation rules. Made with the first rule: a
 * start compiles none, and reading the signatures would take it 6 ms.
 */
function makeFunctions(): ReadonlyMap<string, readonly CelOverload[]> {
  const libraries = [
    celOperators,
    celConversions,
    celStringFunctions,
    celListFunctions,
    celTimeFunctions,
    celOptionalFunctions,
    celQuantityFunctions,
    celNetworkFunctions,
    celFormatFunctions,
    celSemverFunctions,
    celPatchFunctions,
    celAuthorizationFunctions,
  ];
  return Map.groupBy(
    libraries.flatMap((library) => library()),
    ({ name }) => name,
  );
}

let functions: ReadonlyMap<string, readonly CelOverload[]> | undefined;

/** The overloads of a function (or a method); empty when there is none of this name. */
export function celOverloads(name: string, isMethod: boolean): readonly CelOverload[] {
  functions ??= makeFunctions();
  return (functions.get(name) ?? []).filter((overload) => overload.isMethod === isMethod);
}
