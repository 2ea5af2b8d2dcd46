import type { FieldSchema } from './field-schema.ts';
import { revisionNameCharactersMax, trafficMax } from './limits.ts';

/** Where a part of the calls of a Function goes. */
export interface TrafficTarget {
  readonly revision?: string;
  readonly latest?: boolean;
  readonly percent: number;
  readonly tag?: string;
}

/** What is not said about traffic. */
export const defaultTraffic: readonly TrafficTarget[] = [{ latest: true, percent: 100 }];

/** How callers stay with one Revision. */
export interface FunctionSession {
  readonly maxAge: string;
}

/** Where copies of calls go. */
export interface FunctionMirror {
  readonly revision?: string;
  readonly tag?: string;
  readonly percent: number;
  readonly nonIdempotent: boolean;
}

const revisionPattern = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

export const trafficSchema: FieldSchema<readonly TrafficTarget[]> = {
  type: 'array',
  description:
    'Which Revisions the calls go to. Default: all to the newest that is ready. A Revision gets ' +
    'its share once it has the Instances for it. status.traffic shows what is so now.',
  minItems: 1,
  maxItems: trafficMax,
  'x-kubernetes-list-type': 'atomic',
  items: {
    type: 'object',
    description: 'A Revision, and what it gets.',
    properties: {
      revision: {
        type: 'string',
        description: 'Name of the Revision: kubectl get revisions lists them.',
        minLength: 1,
        maxLength: revisionNameCharactersMax,
        pattern: revisionPattern,
      },
      latest: {
        type: 'boolean',
        description: 'With true it is always the newest Revision that is ready.',
      },
      percent: {
        type: 'integer',
        format: 'int32',
        description:
          'Its part of the calls that ask for no particular Revision. With 0 it is called by its ' +
          'tag only.',
        minimum: 0,
        maximum: 100,
        default: 0,
      },
      tag: {
        type: 'string',
        description:
          'A name for it. It is then called as <tag>-<function> as well, in the path or the host, ' +
          'or by the header X-Fnlet-Tag.',
        minLength: 1,
        maxLength: 30,
        pattern: revisionPattern,
      },
    },
    'x-kubernetes-validations': [
      {
        rule: 'has(self.revision) != (has(self.latest) && self.latest)',
        message: 'name either a revision or latest: true, and not both',
      },
      {
        rule: 'self.percent > 0 || has(self.tag)',
        message: 'nothing would reach it: give it a percent above 0 or a tag',
      },
    ],
  },
  'x-kubernetes-validations': [
    {
      rule: 'self.map(target, target.percent).sum() == 100',
      message:
        'the percentages must add up to 100: give what is missing to one of them, or leave ' +
        'traffic out to send all calls to the newest Revision',
    },
    {
      rule:
        'self.all(target, !has(target.tag) || ' +
        'self.exists_one(other, has(other.tag) && other.tag == target.tag))',
      message: 'a tag names one Revision: give each a tag of its own',
    },
  ],
};

export const sessionSchema: FieldSchema<FunctionSession> = {
  type: 'object',
  description:
    'With this, callers stay with the Revision that answered them first, by a cookie. Without ' +
    'it every call is shared out anew.',
  properties: {
    maxAge: {
      type: 'string',
      description: 'How long a session lasts from its first call on, such as 30m; at most 24h.',
      maxLength: 32,
      pattern: '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$',
      default: '1h',
      'x-kubernetes-validations': [
        {
          rule: "duration(self) >= duration('1s') && duration(self) <= duration('24h')",
          message: 'maxAge must be at least 1s and at most 24h',
        },
      ],
    },
  },
};

export const mirrorSchema: FieldSchema<FunctionMirror> = {
  type: 'object',
  description:
    'Copies calls to a Revision whose answers are thrown away, to try it on real calls. A copy ' +
    'never delays a call; copies are left out when too many are under way or a body is large.',
  properties: {
    revision: {
      type: 'string',
      description: 'Name of the Revision that gets the copies.',
      minLength: 1,
      maxLength: revisionNameCharactersMax,
      pattern: revisionPattern,
    },
    tag: {
      type: 'string',
      description: 'Tag in spec.traffic of the Revision that gets the copies.',
      minLength: 1,
      maxLength: 30,
      pattern: revisionPattern,
    },
    percent: {
      type: 'integer',
      format: 'int32',
      description: 'Part of the calls that are copied.',
      minimum: 1,
      maximum: 100,
      default: 100,
    },
    nonIdempotent: {
      type: 'boolean',
      description:
        'Whether calls are copied that may not be made twice, such as POST. What they write is ' +
        'then written twice.',
      default: false,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.revision) != has(self.tag)',
      message: 'name either the revision or the tag that gets the copies, and not both',
    },
  ],
};
