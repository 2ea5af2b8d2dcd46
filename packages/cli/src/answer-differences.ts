import { isJsonObject } from '@fnlet/base';

/** A value that one of two answers has and the other has not, or not so. */
export interface Difference {
  /** Such as `children[ConfigMap web].data.text`. */
  readonly path: string;
  /** As JSON; absent: it was not there. */
  readonly before?: string;
  readonly after?: string;
}

/** In what two answers of an operator differ; objects are found by kind and name, wherever they are. */
export function answerDifferences(before: unknown, after: unknown): Difference[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)];
    if (was === is) return [];
    return [
      {
        path,
        ...(was === undefined ? {} : { before: was }),
        ...(is === undefined ? {} : { after: is }),
      },
    ];
  });
}

function leavesOf(value: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  addLeaves(leaves, '', value);
  return leaves;
}

function addLeaves(leaves: Map<string, string>, path: string, value: unknown): void {
  if (value === undefined) return;
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) {
      addLeaves(leaves, `${path}[${nameOf(item) ?? index}]`, item);
    }
  } else if (isJsonObject(value) && Object.keys(value).length > 0) {
    for (const [name, item] of Object.entries(value)) {
      addLeaves(leaves, path === '' ? name : `${path}.${name}`, item);
    }
  } else if (path !== '' || !isJsonObject(value)) {
    leaves.set(path, JSON.stringify(value));
  }
}

// A child that is wanted in another place of the list is wanted all the same.
function nameOf(item: unknown): string | undefined {
  const object = isJsonObject(item) && isJsonObject(item.object) ? item.object : item;
  if (!isJsonObject(object) || !isJsonObject(object.metadata)) return undefined;
  const { namespace, name } = object.metadata;
  return `${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
