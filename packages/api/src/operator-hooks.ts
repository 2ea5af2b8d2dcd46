import type { FieldSchema } from './field-schema.ts';
import { functionNameCharactersMax } from './limits.ts';

/** Hooks as Metacontroller calls them, instead of Fnlet's own contract. */
export interface OperatorHooks {
  readonly style: 'Composite' | 'Decorator';
  readonly sync?: OperatorHook;
  readonly finalize?: OperatorHook;
  readonly customize?: OperatorHook;
}

/** Where a hook is. */
export interface OperatorHook {
  /** Default: the Function that reconcile names, or the Operator's own. */
  readonly function?: string;
  /** Default: `/sync`, `/finalize` or `/customize`. */
  readonly path?: string;
}

function hookSchema(
  description: string,
): Extract<FieldSchema<OperatorHook>, { readonly type: 'object' }> {
  return {
    type: 'object',
    description,
    properties: {
      function: {
        type: 'string',
        description:
          'Name of a Function in the namespace of the Operator. Default is the one of reconcile.',
        minLength: 1,
        maxLength: functionNameCharactersMax,
      },
      path: {
        type: 'string',
        description: 'The path that is called. Default is / and the name of the hook.',
        minLength: 1,
        maxLength: 1024,
        pattern: '^/',
      },
    },
  };
}

export const hooksSchema: FieldSchema<OperatorHooks> = {
  type: 'object',
  description:
    'The function has hooks as Metacontroller calls them, which run as they are: requests and ' +
    "answers are translated. Default is Fnlet's own contract.",
  properties: {
    style: {
      type: 'string',
      description:
        'Whose hooks they are: of a CompositeController (the default), which get parent and ' +
        'children, or of a DecoratorController, which get object and attachments.',
      enum: ['Composite', 'Decorator'],
      default: 'Composite',
    },
    sync: hookSchema('Says what is wanted for an object. Default is the path /sync.'),
    finalize: hookSchema(
      'Says what is left to do before an object goes; it needs finalize: true. Default is none.',
    ),
    customize: hookSchema('Says which related objects sync needs to see. Default is none.'),
  },
};
