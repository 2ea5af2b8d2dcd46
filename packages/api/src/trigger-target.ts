import type { FieldSchema } from './field-schema.ts';
import {
  celExpressionCharactersMax,
  functionNameCharactersMax,
  urlCharactersMax,
} from './limits.ts';

/** Who gets it; exactly one of `function`, `url`, `broker` and `operator` is there. */
export interface TriggerTarget {
  /** In the namespace of the Trigger. */
  readonly function?: string;
  /** One of the tags in `spec.traffic` of the Function. Default: calls are shared out as there. */
  readonly tag?: string;
  /** Events are sent there with POST. */
  readonly url?: string;
  /** In the namespace of the Trigger. */
  readonly broker?: string;
  /** An Operator in the namespace of the Trigger, whose objects are run. */
  readonly operator?: string;
  /** CEL over `event`: which of its objects. Goes with `operator`. */
  readonly object?: string;
}

/** A target that is a Function. */
export interface FunctionTarget {
  readonly function: string;
  readonly tag?: string;
}

export function isFunctionTarget(target: TriggerTarget): target is FunctionTarget {
  return target.function !== undefined;
}

// `function` is a word of CEL: Kubernetes has it written so.
const given = '[has(self.__function__), has(self.url), has(self.broker), has(self.operator)]';

export const triggerTargetSchema: FieldSchema<TriggerTarget> = {
  type: 'object',
  description: 'Who gets it: one of function, url, broker and operator.',
  properties: {
    function: {
      type: 'string',
      description: 'Name of a Function in the namespace of the Trigger.',
      minLength: 1,
      maxLength: functionNameCharactersMax,
    },
    tag: {
      type: 'string',
      description:
        'The Revision that has this tag in spec.traffic of the Function gets all of it. ' +
        'Default is that it is shared out among Revisions as spec.traffic says.',
      minLength: 1,
      maxLength: 30,
      pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$',
    },
    url: {
      type: 'string',
      description: 'Where events are sent with POST; it may be any that this machine can reach.',
      minLength: 1,
      maxLength: urlCharactersMax,
      'x-kubernetes-validations': [
        {
          rule: "self.matches('^https?://[^/?#@ ]+([/?][^# ]*)?$')",
          message: 'url must start with http:// or https:// and have no user, # and white space',
        },
      ],
    },
    broker: {
      type: 'string',
      description: 'Name of a Broker in the namespace of the Trigger, which keeps the events.',
      minLength: 1,
      maxLength: 63,
    },
    operator: {
      type: 'string',
      description:
        'Name of an Operator in the namespace of the Trigger. What object names is run, as when it ' +
        'had changed: events that come meanwhile are one run with it.',
      minLength: 1,
      maxLength: functionNameCharactersMax,
    },
    object: {
      type: 'string',
      description:
        'Which objects of the Operator an event is about, in CEL over event: its attributes by ' +
        'their names, and its data (of JSON the value, of anything else the text). A name in the ' +
        'namespace of the Trigger, {"name": …, "namespace": …}, a list of these, or null for ' +
        'none. Example: event.data.repository.name.',
      minLength: 1,
      maxLength: celExpressionCharactersMax,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: `${given}.filter(given, given).size() == 1`,
      message: 'give exactly one target of function, url, broker, operator',
    },
    { rule: '!has(self.tag) || has(self.__function__)', message: 'tag goes with function' },
    {
      rule: 'has(self.object) == has(self.operator)',
      message: 'operator and object go together: object says which object an event is about',
    },
  ],
};

/** The target as people write it: a Function by its name, others as `broker/<name>`. */
export function formatTarget({ function: name, url, broker, operator }: TriggerTarget): string {
  return name ?? url ?? (broker === undefined ? `operator/${operator}` : `broker/${broker}`);
}
