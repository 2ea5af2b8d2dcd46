import { type FieldSet, type MutableFieldSet, mutableFieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/**
 * Gathers paths of one walk over a value, in steps that do not grow with its depth.
 *
 * I1. `#nodes[n]` is where the first n steps of the walk's path lead, for as many as are there.
 */
export class PathCollector {
  readonly #nodes: MutableFieldSet[];
  readonly set: FieldSet;

  constructor() {
    const root = mutableFieldSet();
    this.set = root;
    this.#nodes = [root];
  }

  /** Adds where the walk is. The empty path stands for the whole object, which nobody owns. */
  insert(path: readonly PathElement[]): void {
    const last = path.at(-1);
    let node = this.#nodes.at(-1);
    for (let at = this.#nodes.length - 1; node !== undefined && at < path.length - 1; at++) {
      node = childOf(node, path[at]);
      this.#nodes.push(node);
    }
    if (last !== undefined) this.#nodes[path.length - 1]?.members.add(last);
  }

  /** The walk has gone back to a path of this length. */
  leave(length: number): void {
    if (this.#nodes.length > length + 1) this.#nodes.length = length + 1;
  }
}

function childOf(node: MutableFieldSet, element: PathElement | undefined): MutableFieldSet {
  const known = element === undefined ? undefined : node.children.get(element);
  if (known !== undefined) return known;
  const child = mutableFieldSet();
  if (element !== undefined) node.children.set(element, child);
  return child;
}
