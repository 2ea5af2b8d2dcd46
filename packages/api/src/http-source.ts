import type { FieldSchema } from './field-schema.ts';
import { type HttpEvents, httpEventsSchema } from './http-events.ts';
import { routeHostsMax, routePathCharactersMax, routePathsMax } from './limits.ts';
import { type RoutePolicySpec, routePolicySchema } from './route-policy.ts';

/** Requests to the Gateway, by host, path and method. */
export interface HttpSource extends RoutePolicySpec {
  /** Default: any host. */
  readonly hosts?: readonly string[];
  /** Default: any path. */
  readonly paths?: readonly HttpPath[];
  /** Default: any method. */
  readonly methods?: readonly HttpMethod[];
  /** Default: the path reaches the target as it came. */
  readonly rewrite?: HttpRewrite;
  /** Default: over TLS the hosts have a certificate that the Gateway made for itself. */
  readonly tls?: HttpTls;
  /** Default: requests are answered by the target itself. */
  readonly events?: HttpEvents;
}

/** Some paths; exactly one member is there. */
export interface HttpPath {
  readonly exact?: string;
  readonly prefix?: string;
  readonly pattern?: string;
}

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** What the target gets to see otherwise than it came. */
export interface HttpRewrite {
  /** Takes the place of what matched. */
  readonly path: string;
}

/** How the hosts are served over TLS. */
export interface HttpTls {
  /** A Secret of the type kubernetes.io/tls. Default: a certificate that the Gateway made. */
  readonly secretName?: string;
  /** Whether requests without TLS are sent there. Default: they are served. */
  readonly redirect?: boolean;
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

const hostSchema: FieldSchema<string> = {
  type: 'string',
  description: 'A host, or *. and a domain for all hosts below it.',
  minLength: 1,
  maxLength: 253,
  'x-kubernetes-validations': [
    {
      rule: `self.matches('^([*][.])?${label}([.]${label})*$')`,
      message:
        'host must be like shop.example.com or *.example.com: in lower case, without scheme, ' +
        'port and path',
    },
    {
      rule: "!self.matches('[.](svc|cluster[.]local)$') && !self.matches('[.]svc[.]')",
      message:
        'host must not be a name of a Service: Functions have theirs, ' +
        '<function>.<namespace>.svc.cluster.local, without a Trigger',
    },
  ],
};

// As CEL writes regular expressions: a backslash is two.
const octet = String.raw`[^/{}?#\\s\\\\]`;
const parameter = '[A-Za-z][A-Za-z0-9_-]*';
const plainRule = `self.matches('^(/${octet}*)+$')`;
const patternRule = `self.matches('^(/(${octet}*|[{]${parameter}[}]))*(/[{]${parameter}[.]{3}[}])?$')`;

// Such paths never arrive: the Gateway refuses them, or takes them for others.
const clearRule =
  "!self.contains('//') && !self.matches('/[.]{1,2}(/|$)') && " +
  "!self.matches('%(2[EeFf]|5[Cc]|00)')";

const clearMessage =
  'path must have no empty segments, no . and .. segments, and no %2E, %2F, %5C or %00';

function pathSchema(description: string): FieldSchema<string> {
  return {
    type: 'string',
    description,
    minLength: 1,
    maxLength: routePathCharactersMax,
    'x-kubernetes-validations': [
      {
        rule: plainRule,
        message:
          'path must start with / and have no white space, ?, #, \\, { and }; for parameters use ' +
          'pattern',
      },
      { rule: clearRule, message: clearMessage },
    ],
  };
}

const httpPathSchema: FieldSchema<HttpPath> = {
  type: 'object',
  description: 'Some paths: one of exact, prefix and pattern.',
  properties: {
    exact: pathSchema('This path and no other; /a is not /a/.'),
    prefix: pathSchema('This path and all below it: /a is the prefix of /a and /a/b, not of /ab.'),
    pattern: {
      type: 'string',
      description:
        'A path with parameters, such as /users/{id}/files/{path...}: {id} stands for one ' +
        'segment, {path...} at the end for all that is left. The Function is told in the header ' +
        'X-Fnlet-Parameters, in the form of a query: id=7&path=a/b.',
      minLength: 1,
      maxLength: routePathCharactersMax,
      'x-kubernetes-validations': [
        {
          rule: patternRule,
          message:
            'pattern must start with /; a parameter is a whole segment, {name}, and {name...} ' +
            'can only be the last one',
        },
        { rule: clearRule, message: clearMessage },
      ],
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '[has(self.exact), has(self.prefix), has(self.pattern)].filter(given, given).size() == 1',
      message: 'give exactly one of exact, prefix, pattern for each path',
    },
  ],
};

export const httpSourceSchema: FieldSchema<HttpSource> = {
  type: 'object',
  description: 'Requests to the Gateway, by host, path and method.',
  properties: {
    hosts: {
      type: 'array',
      description:
        'The hosts of the requests, such as shop.example.com and *.example.com. Default is any ' +
        'host that no Trigger names; there, Functions that are called by their own names go first.',
      items: hostSchema,
      minItems: 1,
      maxItems: routeHostsMax,
      'x-kubernetes-list-type': 'set',
    },
    paths: {
      type: 'array',
      description:
        'The paths of the requests. Where several paths take one, segments are compared from the ' +
        'left: what is written out goes before a parameter, that before a prefix. Default is any.',
      items: httpPathSchema,
      minItems: 1,
      maxItems: routePathsMax,
      'x-kubernetes-list-type': 'atomic',
    },
    methods: {
      type: 'array',
      description:
        'The methods of the requests; GET includes HEAD. Others are answered 405. Default is any ' +
        'that no other Trigger has for the path.',
      items: {
        type: 'string',
        description: 'A method.',
        enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      },
      minItems: 1,
      maxItems: 7,
      'x-kubernetes-list-type': 'set',
    },
    rewrite: {
      type: 'object',
      description: 'What the target gets to see otherwise. Default is the path as it came.',
      properties: {
        path: {
          type: 'string',
          description:
            'Takes the place of what matched: of the prefix, of the exact path, of a pattern up ' +
            'to its {name...}. With / a prefix is taken off.',
          minLength: 1,
          maxLength: routePathCharactersMax,
          required: true,
          'x-kubernetes-validations': [
            {
              // It becomes a part of the request line.
              rule: String.raw`self.matches('^/[!-~]*$') && !self.matches('[?#\\\\]') && ${clearRule}`,
              message: `path must start with / and have no ?, # and \\, only visible ASCII; ${clearMessage}`,
            },
          ],
        },
      },
    },
    tls: {
      type: 'object',
      description:
        'How the hosts are served over TLS. Without it they have a certificate that the Gateway ' +
        'made for itself.',
      properties: {
        secretName: {
          type: 'string',
          description:
            'Name of a Secret of the type kubernetes.io/tls in the namespace of the Trigger: ' +
            'tls.crt is the certificate with its chain, tls.key its private key, in PEM.',
          minLength: 1,
          maxLength: 253,
        },
        redirect: {
          type: 'boolean',
          description:
            'Whether requests without TLS are answered 308, with the same URL over TLS. Default ' +
            'is false: they are served.',
        },
      },
      'x-kubernetes-validations': [
        {
          rule: 'has(self.secretName) || has(self.redirect)',
          message: 'give secretName, redirect, or leave tls out',
        },
      ],
    },
    events: httpEventsSchema,
    ...routePolicySchema.properties,
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.tls) || !has(self.tls.secretName) || has(self.hosts)',
      message: 'tls.secretName needs hosts: name those that the certificate is for',
    },
  ],
};
