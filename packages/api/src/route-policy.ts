import type { FieldSchema } from './field-schema.ts';
import { addressRangesMax, corsItemsMax, rateLimitsMax } from './limits.ts';
import { type RouteAuth, routeAuthSchema } from './route-auth.ts';

/** What a route demands of requests; a part of the http source of a Trigger. */
export interface RoutePolicySpec {
  readonly addresses?: RouteAddresses;
  readonly limits?: RouteLimits;
  readonly auth?: RouteAuth;
  readonly cors?: RouteCors;
  /** Default: answers are not compressed. */
  readonly compression?: RouteCompression;
}

/** Addresses and CIDR blocks of clients. */
export interface RouteAddresses {
  /** Default: all. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export interface RouteLimits {
  /** Bytes, such as 64Ki. */
  readonly body?: string | number;
  readonly header?: string | number;
  readonly rates?: readonly RouteRateLimit[];
}

/** How many requests in which time, and of whom. */
export interface RouteRateLimit {
  readonly name: string;
  readonly requests: number;
  /** A duration. */
  readonly period: string;
  /** Default: as many as `requests`. */
  readonly burst?: number;
  /** Default: client. */
  readonly per?: 'client' | 'route' | 'consumer' | 'header' | 'claim';
  /** Name of the header or claim. */
  readonly key?: string;
}

/** Which pages of other origins may call. */
export interface RouteCors {
  readonly origins: readonly string[];
  readonly methods?: readonly string[];
  readonly headers?: readonly string[];
  readonly exposedHeaders?: readonly string[];
  readonly credentials?: boolean;
  /** A duration. */
  readonly maxAge?: string;
}

/** Which answers are compressed. */
export interface RouteCompression {
  /** Default: text in all its forms. */
  readonly types?: readonly string[];
  /** Bytes; default: 1Ki. */
  readonly minimum?: string | number;
}

function ranges(description: string): FieldSchema<readonly string[]> {
  return {
    type: 'array',
    description,
    items: {
      type: 'string',
      description: 'An address or a CIDR block, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32.',
      minLength: 2,
      maxLength: 49,
      'x-kubernetes-validations': [
        {
          rule: 'isIP(self) || isCIDR(self)',
          message: 'must be an IP address or a CIDR block, such as 192.0.2.7 or 10.0.0.0/8',
        },
      ],
    },
    maxItems: addressRangesMax,
    'x-kubernetes-list-type': 'set',
  };
}

function bytes(description: string): FieldSchema<string | number> {
  return {
    'x-kubernetes-int-or-string': true,
    description: `${description} In bytes, or with Ki or Mi.`,
    maxLength: 16,
    pattern: '^[0-9]{1,9}(Ki|Mi)?$',
    minimum: 0,
    maximum: 1_073_741_824,
  };
}

const rateSchema: FieldSchema<RouteRateLimit> = {
  type: 'object',
  description: 'How many requests in which time, and of whom; more are answered 429.',
  properties: {
    name: {
      type: 'string',
      description: 'What the header RateLimit calls it.',
      minLength: 1,
      maxLength: 32,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      required: true,
    },
    requests: {
      type: 'integer',
      format: 'int32',
      description: 'How many requests in each period, over time.',
      minimum: 1,
      maximum: 1_000_000,
      required: true,
    },
    period: {
      type: 'string',
      description: 'How long a period is, such as 1s, 1m or 24h.',
      maxLength: 16,
      pattern: '^[1-9][0-9]{0,5}(s|m|h)$',
      required: true,
    },
    burst: {
      type: 'integer',
      format: 'int32',
      description: 'How many may come at once after a pause. Default is as many as requests.',
      minimum: 1,
      maximum: 1_000_000,
    },
    per: {
      type: 'string',
      description:
        'Whose requests are counted together. client: those of one IPv4 address or IPv6 /64 ' +
        'block; consumer: of one that auth has found; header and claim: with the same value of ' +
        'what key names; route: all. Who has none of it is counted by address. Default is client.',
      enum: ['client', 'route', 'consumer', 'header', 'claim'],
    },
    key: {
      type: 'string',
      description: 'Name of the header or claim.',
      minLength: 1,
      maxLength: 256,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: "has(self.key) == (has(self.per) && self.per in ['header', 'claim'])",
      message: 'give a key where per is header or claim, and only there',
    },
  ],
};

const corsSchema: FieldSchema<RouteCors> = {
  type: 'object',
  description:
    'Which pages of other origins may call. The Gateway answers their preflights, and replaces ' +
    'what the function says about CORS.',
  properties: {
    origins: {
      type: 'array',
      description:
        'The origins of these pages, such as https://app.example.com, https://*.example.com for ' +
        'all hosts below it, or * for any.',
      items: {
        type: 'string',
        description: 'An origin.',
        minLength: 1,
        maxLength: 256,
        pattern: '^([*]|[a-z][a-z0-9+.-]*://([*][.])?[^\\s/?#@*,]+)$',
      },
      minItems: 1,
      maxItems: corsItemsMax,
      'x-kubernetes-list-type': 'set',
      required: true,
    },
    methods: names('Methods that they may use. Default is GET, HEAD, POST, PUT, PATCH, DELETE.'),
    headers: names('Headers that they may send; * for any. Default is any.'),
    exposedHeaders: names('Headers of answers that they may read. Default is the few simple ones.'),
    credentials: {
      type: 'boolean',
      description: 'Whether they may send cookies and other credentials. Default is false.',
    },
    maxAge: {
      type: 'string',
      description:
        'How long browsers may remember what a preflight was answered, such as 10m. Default is ' +
        'as long as they like, which is 5 seconds.',
      maxLength: 16,
      pattern: '^[0-9]{1,6}(s|m|h)$',
    },
  },
  'x-kubernetes-validations': [
    {
      rule: "!(has(self.credentials) && self.credentials && '*' in self.origins)",
      message:
        'credentials must not be sent from any origin: name the origins, or leave out credentials',
    },
  ],
};

function names(description: string): FieldSchema<readonly string[]> {
  return {
    type: 'array',
    description,
    items: {
      type: 'string',
      description: 'A name.',
      minLength: 1,
      maxLength: 64,
      pattern: '^([*]|[A-Za-z0-9_-]+)$',
    },
    maxItems: corsItemsMax,
    'x-kubernetes-list-type': 'set',
  };
}

export const routePolicySchema: FieldSchema<RoutePolicySpec> = {
  type: 'object',
  description: 'What a route demands of requests.',
  properties: {
    addresses: {
      type: 'object',
      description:
        'Addresses that may call; others are answered 403. Behind proxies these are believed ' +
        'about whom they speak for if Fnlet is started with --trusted-proxies.',
      properties: {
        allow: ranges('Those that may. Default is all.'),
        deny: ranges('Those that may not, whatever is allowed.'),
      },
    },
    limits: {
      type: 'object',
      description: 'How much may be asked.',
      properties: {
        body: bytes('Largest request body, where the function takes more; then 413.'),
        header: bytes('Largest request header; then 431.'),
        rates: {
          type: 'array',
          description: 'How often may be asked. A request has to be within all of these.',
          items: rateSchema,
          maxItems: rateLimitsMax,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
    auth: routeAuthSchema,
    cors: corsSchema,
    compression: {
      type: 'object',
      description:
        'Compresses answers for clients that accept zstd, br or gzip. Answers that are compressed ' +
        'already, parts of something, and those with Cache-Control: no-transform stay as they ' +
        'are. Default is no compression.',
      properties: {
        types: {
          type: 'array',
          description:
            'Media types, such as application/json and text/*. Default is text, JSON, XML, ' +
            'JavaScript, SVG and the like.',
          items: {
            type: 'string',
            description: 'A media type.',
            maxLength: 128,
            pattern: '^[A-Za-z0-9.+-]+/([*]|[A-Za-z0-9.+-]+)$',
          },
          minItems: 1,
          maxItems: corsItemsMax,
          'x-kubernetes-list-type': 'set',
        },
        minimum: bytes('Smaller answers are not compressed. Default is 1Ki.'),
      },
    },
  },
};
