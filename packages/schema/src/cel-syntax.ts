import type { CelValue } from './cel-value.ts';

/** A parsed CEL expression. `at` is where it stands in the source. */
export type CelNode = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: CelValue }
  | { readonly kind: 'identifier'; readonly name: string }
  /** `operand.field`, or `operand.?field`. */
  | {
      readonly kind: 'select';
      readonly operand: CelNode;
      readonly field: string;
      readonly optional: boolean;
    }
  /** `has(operand.field)`. */
  | { readonly kind: 'has'; readonly operand: CelNode; readonly field: string }
  /** `operand[index]`, or `operand[?index]`. */
  | {
      readonly kind: 'index';
      readonly operand: CelNode;
      readonly index: CelNode;
      readonly optional: boolean;
    }
  /** A function or an operator (`_+_`); `target` is the receiver of a method. */
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly target?: CelNode;
      readonly args: readonly CelNode[];
    }
  | { readonly kind: 'and' | 'or'; readonly left: CelNode; readonly right: CelNode }
  | {
      readonly kind: 'conditional';
      readonly condition: CelNode;
      readonly then: CelNode;
      readonly otherwise: CelNode;
    }
  | { readonly kind: 'list'; readonly items: readonly CelItem[] }
  | { readonly kind: 'map'; readonly entries: readonly CelEntry[] }
  /** `Type.name{field: value}`. */
  | { readonly kind: 'struct'; readonly name: string; readonly fields: readonly CelField[] }
  /** A macro over the items of a list or the keys of a map. */
  | {
      readonly kind: 'comprehension';
      readonly macro: CelLoop;
      readonly range: CelNode;
      /** One name, or two: index and item of a list, key and value of a map. */
      readonly variables: readonly string[];
      readonly filter?: CelNode;
      readonly body: CelNode;
    }
  /** `cel.bind(variable, value, body)`; with `optional`, `value.optMap(variable, body)`. */
  | {
      readonly kind: 'bind';
      readonly variable: string;
      readonly value: CelNode;
      readonly body: CelNode;
      readonly optional?: 'optMap' | 'optFlatMap';
    }
);

export type CelLoop = 'all' | 'exists' | 'exists_one' | 'map' | 'filter';

/** An item of a list literal; `?value` is left out when it is an empty optional. */
export interface CelItem {
  readonly value: CelNode;
  readonly optional: boolean;
}

export interface CelEntry extends CelItem {
  readonly key: CelNode;
}

/** A field of a struct literal; `at` is where its colon stands, as cel-go tells of it there. */
export interface CelField extends CelItem {
  readonly name: string;
  readonly at: number;
}
