import { errorMessage, hasCode, isJsonObject, type JsonObject } from '@fnlet/base';
import { applyJsonPatch, parseJsonPatch } from '@fnlet/machinery';
import { textField } from '../../object/object-form.ts';

/**
 * Why a JSON patch cannot be applied, in the words of evanphx/json-patch, which clients of the API
 * never see but whoever writes a policy does. Goes through the operations once more, one by one:
 * for patches that have failed only.
 */
export function jsonPatchFailure(object: unknown, operations: readonly unknown[]): string {
  let document = object;
  for (const operation of operations) {
    try {
      document = applyJsonPatch(document, parseJsonPatch([operation]));
    } catch (error) {
      const given = isJsonObject(operation) ? operation : {};
      const isKnown = !hasCode(error, 'PatchTooLarge');
      return (isKnown ? operationFailure(document, given) : undefined) ?? errorMessage(error);
    }
  }
  return 'the patch could not be applied';
}

const isMissing = 'missing value';
const noFrom = `operation, missing from field: ${isMissing}`;

function operationFailure(document: unknown, operation: JsonObject): string | undefined {
  const [op, path] = [textField(operation, 'op'), textField(operation, 'path')];
  const to = findPlace(document, path);
  const lacks = (what: string, where: string): string =>
    `${op} operation does not apply: ${what}: ${where}: ${isMissing}`;
  switch (op) {
    case 'add':
      if (to === undefined) return lacks('doc is missing path', `"${path}"`);
      return within('error in add for path', path, indexProblem(to));
    case 'remove':
      if (to === undefined) return lacks('doc is missing path', `"${path}"`);
      return within('error in remove for path', path, removalProblem(to));
    case 'replace':
      return lacks(to === undefined ? 'doc is missing path' : 'doc is missing key', path);
    case 'test':
      if (to === undefined) return lacks('is missing path', path);
      return within('error in test for path', path, indexProblem(to));
    case 'move':
    case 'copy': {
      const given = textField(operation, 'from');
      if (given === '') return `${op} operation failed to decode from: ${noFrom}`;
      const from = findPlace(document, given);
      if (from === undefined) return lacks('doc is missing from path', given);
      const problem =
        op === 'move'
          ? within('error in move for path', from.key, removalProblem(from))
          : within('error in copy for from', given, indexProblem(from));
      if (problem !== undefined) return problem;
      return to === undefined ? lacks('doc is missing destination path', path) : undefined;
    }
    default:
      return `Unexpected kind: ${op}`;
  }
}

function within(what: string, path: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${what}: '${path}': ${problem}`;
}

/** What an operation reaches into, and where. */
interface Place {
  readonly container: JsonObject | readonly unknown[];
  readonly key: string;
}

/** `undefined` where nothing is there that could be reached into. */
function findPlace(document: unknown, path: string): Place | undefined {
  const [, ...tokens] = path.split('/');
  const key = tokens.pop();
  if (key === undefined) return undefined;
  const container = tokens.reduce<unknown>(
    (value, token) => valueAt(value, decode(token)),
    document,
  );
  if (!Array.isArray(container) && !isJsonObject(container)) return undefined;
  return { container, key: decode(key) };
}

function decode(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function valueAt(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function indexProblem({ container, key }: Place): string | undefined {
  if (!Array.isArray(container)) return undefined;
  if (/^[+-]?\d+$/.test(key)) {
    return `Unable to access invalid index: ${Number(key)}: invalid index referenced`;
  }
  return `value was not a proper array index: '${key}': ${notNumber(key)}`;
}

function removalProblem(place: Place): string | undefined {
  const { container, key } = place;
  if (Array.isArray(container)) {
    return /^[+-]?\d+$/.test(key) ? indexProblem(place) : notNumber(key);
  }
  if (Object.hasOwn(container, key)) return undefined;
  return `Unable to remove nonexistent key: ${key}: ${isMissing}`;
}

function notNumber(key: string): string {
  return `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
}
