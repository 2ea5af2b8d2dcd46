import type { FieldSchema } from './field-schema.ts';
import { functionNameCharactersMax, urlCharactersMax } from './limits.ts';

/** Who gets it; exactly one of `function`, `url` and `broker` is there. */
export interface TriggerTarget {
  /** In the namespace of the Trigger. */
  readonly function?: string;
  /** One of the tags in `spec.traffic` of the Function. Default: calls are shared out as there. */
  readonly tag?: string;
  /** Events are sent there with POST. */
  readonly url?: string;
  /** In the namespace of the Trigger. */
  readonly broker?: string;
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
const given = '[has(self.__function__), has(self.url), has(self.broker)]';

export const triggerTargetSchema: FieldSchema<TriggerTarget> = {
  type: 'object',
  description: 'Who gets it: one of function, url and broker.',
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
  },
  'x-kubernetes-validations': [
    {
      rule: `${given}.filter(given, given).size() == 1`,
      message: 'give exactly one target of function, url, broker',
    },
    { rule: '!has(self.tag) || has(self.__function__)', message: 'tag goes with function' },
  ],
};

/** The target as people write it: a Function by its name, a Broker as `broker/<name>`. */
export function formatTarget({ function: name, url, broker = '' }: TriggerTarget): string {
  return name ?? url ?? `broker/${broker}`;
}
