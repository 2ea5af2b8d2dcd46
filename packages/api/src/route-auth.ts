import type { FieldSchema } from './field-schema.ts';
import { headerName, writtenHeaderName } from './header-name.ts';
import { authMethodsMax, authNamesMax, urlCharactersMax } from './limits.ts';

/** Who may call, and how that is proved. */
export interface RouteAuth {
  /** One of them suffices. */
  readonly anyOf: readonly AuthMethod[];
  /** Default: false. */
  readonly anonymous?: boolean;
  /** Default: false. */
  readonly forwardCredentials?: boolean;
}

/** One way to prove who one is; exactly one member is there. */
export interface AuthMethod {
  readonly apiKey?: ApiKeyAuth;
  readonly basic?: BasicAuth;
  readonly jwt?: JwtAuth;
}

/** Keys of which a Secret holds the hashes, each under the name of its consumer. */
export interface ApiKeyAuth {
  readonly secret: string;
  /** Default: X-Api-Key. */
  readonly header?: string;
  /** Default: none. */
  readonly query?: string;
}

/** Users and passwords: a file of htpasswd, as value `auth` of a Secret. */
export interface BasicAuth {
  readonly secret: string;
  /** Default: Fnlet. */
  readonly realm?: string;
}

/** Tokens of an issuer. */
export interface JwtAuth {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Default: where the OpenID configuration of the issuer says. */
  readonly keysUrl?: string;
  /** Default: all that are known. */
  readonly algorithms?: readonly JwtAlgorithm[];
  readonly scopes?: readonly string[];
  readonly claims?: readonly JwtClaimRule[];
  /** A duration; default: 30s. */
  readonly leeway?: string;
  /** Default: Authorization, after the word Bearer. */
  readonly header?: string;
  /** Default: sub. */
  readonly consumerClaim?: string;
  readonly forward?: readonly ForwardedClaim[];
}

export type JwtAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519';

export interface JwtClaimRule {
  readonly claim: string;
  readonly values: readonly string[];
}

export interface ForwardedClaim {
  readonly claim: string;
  readonly header: string;
}

function secretName(description: string): FieldSchema<string> & { readonly required: true } {
  return {
    type: 'string',
    description: `Name of the Secret, in the namespace of the Trigger. ${description}`,
    minLength: 1,
    maxLength: 253,
    pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
    required: true,
  };
}

const claimName: FieldSchema<string> & { readonly required: true } = {
  type: 'string',
  description: 'The claim, or the path to one within others, such as realm_access.roles.',
  minLength: 1,
  maxLength: 256,
  required: true,
};

function texts(description: string, item: string): FieldSchema<readonly string[]> {
  return {
    type: 'array',
    description,
    items: { type: 'string', description: item, minLength: 1, maxLength: 256 },
    minItems: 1,
    maxItems: authNamesMax,
    'x-kubernetes-list-type': 'set',
  };
}

function httpUrl(description: string): FieldSchema<string> {
  return {
    type: 'string',
    description,
    minLength: 1,
    maxLength: urlCharactersMax,
    pattern: '^https?://[^\\s#@]+$',
  };
}

const apiKeySchema: FieldSchema<ApiKeyAuth> = {
  type: 'object',
  description: 'Keys that programs send with each request.',
  properties: {
    secret: secretName(
      'Each key of the Secret names a consumer; its value is sha256: and the SHA-256 of the API ' +
        'key in hex, or several of these.',
    ),
    header: headerName('Header that carries the API key. Default is X-Api-Key.'),
    query: {
      type: 'string',
      description:
        'Query parameter that may carry it where there is no header. Addresses are written to ' +
        'logs everywhere: prefer the header. Default is none.',
      minLength: 1,
      maxLength: 64,
      pattern: '^[A-Za-z0-9._-]+$',
    },
  },
};

const basicSchema: FieldSchema<BasicAuth> = {
  type: 'object',
  description: 'Users and passwords, for which browsers ask.',
  properties: {
    secret: secretName(
      'Its value auth is a file of htpasswd. Hashes may be bcrypt, with a cost of up to 12, ' +
        'apr1, SHA, SSHA, SHA-256 and SHA-512; users with another one cannot log in.',
    ),
    realm: {
      type: 'string',
      description: 'What browsers show when they ask. Default is Fnlet.',
      minLength: 1,
      maxLength: 128,
      pattern: '^[ -~]+$',
    },
  },
};

const jwtSchema: FieldSchema<JwtAuth> = {
  type: 'object',
  description: 'Tokens (JWT) that an issuer has signed, as of OpenID Connect.',
  properties: {
    issuer: {
      ...httpUrl('What tokens have as iss, letter by letter: the URL of the issuer.'),
      required: true,
    },
    audiences: {
      ...texts('Who tokens must be for: one of these has to be among their aud.', 'An audience.'),
      required: true,
    },
    keysUrl: httpUrl(
      'Where the keys of the issuer are (a JWK Set). Default is where its OpenID configuration, ' +
        '<issuer>/.well-known/openid-configuration, says. Keys are kept for ten minutes, and for ' +
        'an hour more while they cannot be fetched.',
    ),
    algorithms: {
      type: 'array',
      description: 'How tokens may be signed. Default is any of these.',
      items: {
        type: 'string',
        description: 'An algorithm.',
        enum: [
          ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
          ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
        ],
      },
      minItems: 1,
      maxItems: 11,
      'x-kubernetes-list-type': 'set',
    },
    scopes: {
      ...texts('What tokens must grant, all of it, by scope or scp; else 403.', 'A scope.'),
      'x-kubernetes-validations': [
        {
          rule: "self.all(scope, scope.matches('^[!#-\\\\[\\\\]-~]+$'))",
          message: 'a scope must be one word of visible ASCII without quotes and backslashes',
        },
      ],
    },
    claims: {
      type: 'array',
      description: 'What claims of tokens must say, all of these; else 403.',
      items: {
        type: 'object',
        description: 'A claim, and which values let in.',
        properties: {
          claim: claimName,
          values: {
            ...texts('One of these; where the claim is a list, one of its items.', 'A value.'),
            required: true,
          },
        },
      },
      maxItems: authNamesMax,
      'x-kubernetes-list-type': 'atomic',
    },
    leeway: {
      type: 'string',
      description:
        'How much the clocks of issuer and Gateway may differ, such as 30s. Default is 30s.',
      maxLength: 16,
      pattern: '^(0|([0-9]{1,4}(ms|s|m))+)$',
    },
    header: headerName(
      'Header that holds nothing but the token. Default is Authorization, after the word Bearer.',
    ),
    consumerClaim: {
      type: 'string',
      description: 'Which claim names the consumer. Default is sub.',
      minLength: 1,
      maxLength: 256,
    },
    forward: {
      type: 'array',
      description:
        'Claims that the function is told, each in a header. Nobody else can set these headers. ' +
        'What is not visible ASCII is percent-encoded; lists have commas between their items.',
      items: {
        type: 'object',
        description: 'A claim, and its header.',
        properties: {
          claim: claimName,
          header: {
            ...writtenHeaderName('The header, such as X-User-Email.'),
            required: true,
          },
        },
      },
      maxItems: authNamesMax,
      'x-kubernetes-list-type': 'atomic',
    },
  },
};

export const routeAuthSchema: FieldSchema<RouteAuth> = {
  type: 'object',
  description:
    'Who may call, and how they prove it. The function is told in the headers X-Fnlet-Consumer, ' +
    'who calls, and X-Fnlet-Auth: apiKey, basic, jwt or anonymous. Others are answered 401.',
  properties: {
    anyOf: {
      type: 'array',
      description: 'Ways to prove who one is. One of them suffices; the first that accepts counts.',
      items: {
        type: 'object',
        description: 'One way: one of apiKey, basic and jwt.',
        properties: { apiKey: apiKeySchema, basic: basicSchema, jwt: jwtSchema },
        'x-kubernetes-validations': [
          {
            rule: '[has(self.apiKey), has(self.basic), has(self.jwt)].filter(given, given).size() == 1',
            message: 'give exactly one of apiKey, basic, jwt for each way',
          },
        ],
      },
      minItems: 1,
      maxItems: authMethodsMax,
      'x-kubernetes-list-type': 'atomic',
      required: true,
    },
    anonymous: {
      type: 'boolean',
      description:
        'Whether requests without any credentials are let through, too. Wrong ones never are. ' +
        'Default is false.',
    },
    forwardCredentials: {
      type: 'boolean',
      description: 'Whether the function gets to see the credentials. Default is false.',
    },
  },
};
