import type { FieldSchema } from './field-schema.ts';
import { celExpressionCharactersMax, predicatesMax } from './limits.ts';

/** Which part of an object a change must touch to count. */
export type ChangedPart = 'generation' | 'labels' | 'annotations' | 'resourceVersion';

/** One statement about a change; exactly one member is there. */
export interface ChangeTest {
  readonly changes?: ChangedPart;
  /** CEL over `object` and `oldObject`. */
  readonly cel?: string;
}

/** A statement, or its opposite; exactly one member is there. */
export interface NegatableTest extends ChangeTest {
  readonly not?: ChangeTest;
}

/** Some of them together; exactly one member is there. */
export interface ChangeTests extends NegatableTest {
  readonly and?: readonly NegatableTest[];
  readonly or?: readonly NegatableTest[];
}

/** Which changes are worth a run; exactly one member is there. */
export interface OperatorWhen extends NegatableTest {
  readonly and?: readonly ChangeTests[];
  readonly or?: readonly ChangeTests[];
}

type TestProperties = Extract<
  FieldSchema<ChangeTest>,
  { readonly properties: unknown }
>['properties'];

const testProperties: TestProperties = {
  changes: {
    type: 'string',
    description:
      'Which part of the object must have changed: generation (what is asked for: the spec, not ' +
      'the status), labels, annotations, or resourceVersion (anything at all).',
    enum: ['generation', 'labels', 'annotations', 'resourceVersion'],
  },
  cel: {
    type: 'string',
    description:
      'A CEL expression over object and oldObject. One that uses oldObject is asked about updates ' +
      'only; one that does not selects objects. What it cannot judge passes.',
    minLength: 1,
    maxLength: celExpressionCharactersMax,
  },
};

const testSchema: FieldSchema<ChangeTest> = {
  type: 'object',
  description: 'What must not hold.',
  properties: testProperties,
  'x-kubernetes-validations': [oneOf('changes', 'cel')],
};

const negatableProperties = { ...testProperties, not: testSchema };

const negatableSchema: FieldSchema<NegatableTest> = {
  type: 'object',
  description: 'One of changes, cel and not.',
  properties: negatableProperties,
  'x-kubernetes-validations': [oneOf('changes', 'cel', 'not')],
};

const testsSchema: FieldSchema<ChangeTests> = {
  type: 'object',
  description: 'One of changes, cel, not, and, or.',
  properties: {
    ...negatableProperties,
    and: listOf('All of these must hold.', negatableSchema),
    or: listOf('One of these must hold.', negatableSchema),
  },
  'x-kubernetes-validations': [oneOf('changes', 'cel', 'not', 'and', 'or')],
};

export const whenSchema: FieldSchema<OperatorWhen> = {
  type: 'object',
  description:
    'Which changes of an object are worth a run; others wake nobody. That it is new or marked for ' +
    'deletion, and the pause annotation, always are. Default is {changes: generation}.',
  properties: {
    ...negatableProperties,
    and: listOf('All of these must hold.', testsSchema),
    or: listOf('One of these must hold.', testsSchema),
  },
  'x-kubernetes-validations': [oneOf('changes', 'cel', 'not', 'and', 'or')],
};

function listOf<T>(
  description: string,
  items: FieldSchema<T>,
): {
  readonly type: 'array';
  readonly description: string;
  readonly items: FieldSchema<T>;
  readonly minItems: number;
  readonly maxItems: number;
} {
  return { type: 'array', description, items, minItems: 1, maxItems: predicatesMax };
}

function oneOf(...names: readonly string[]): { readonly rule: string; readonly message: string } {
  const given = names.map((name) => `has(self.${name})`).join(', ');
  return {
    rule: `[${given}].filter(given, given).size() == 1`,
    message: `give exactly one of ${names.join(', ')}`,
  };
}
