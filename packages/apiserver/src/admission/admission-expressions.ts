import type { JsonObject } from '@fnlet/base';
import type { JsonSchema, KubeObject } from '@fnlet/machinery';
import {
  type CelAuthorizer,
  CelComposition,
  type CelResourceCheck,
  type CompositionValues,
} from '@fnlet/schema';
import type { AccessAttributes } from '../auth/access-attributes.ts';
import type { Decision } from '../auth/decide-access.ts';
import type { User } from '../request/api-request.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';

const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'integer' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
const textMap: JsonSchema = { type: 'object', additionalProperties: text };

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties };
}

const kind = object({ group: text, version: text, kind: text });
const resource = object({ group: text, version: text, resource: text });
const extra: JsonSchema = { type: 'object', additionalProperties: list(text) };

/** An AdmissionRequest without its objects, which are variables of their own. */
const request = object({
  ...{ kind, resource, subResource: text },
  ...{ requestKind: kind, requestResource: resource, requestSubResource: text },
  ...{ name: text, namespace: text, operation: text },
  userInfo: object({ username: text, uid: text, groups: list(text), extra }),
  dryRun: { type: 'boolean' },
  // Whatever the operation takes; nothing is known of it.
  options: { 'x-kubernetes-int-or-string': true },
});

/** What expressions may know of a Namespace (apiserver, BuildNamespaceType). */
const namespace = object({
  metadata: object({
    ...{ name: text, generateName: text, namespace: text, labels: textMap, annotations: textMap },
    ...{ UID: text, creationTimestamp: time, deletionGracePeriodSeconds: number },
    ...{ deletionTimestamp: time, generation: number, resourceVersion: text },
    finalizers: list(text),
  }),
  spec: object({ finalizers: list(text) }),
  status: object({
    phase: text,
    conditions: list(
      object({ status: text, type: text, lastTransitionTime: time, message: text, reason: text }),
    ),
  }),
});

/** What expressions about requests know besides the request. */
export interface ExpressionScope {
  /** `params`: what configures a policy. Default false. */
  readonly hasParams?: boolean;
  /** `variables`: expressions that have names. Default false. */
  readonly hasNamed?: boolean;
}

export function createComposition(scope: ExpressionScope = {}): CelComposition {
  const { hasParams = false, hasNamed = false } = scope;
  return new CelComposition({
    variables: {
      object: 'dyn',
      oldObject: 'dyn',
      request: { schema: request, isMessage: true },
      namespaceObject: { schema: namespace, isMessage: true },
      ...(hasParams ? { params: 'dyn' } : {}),
    },
    hasAuthorizer: true,
    hasNamed,
  });
}

/** What expressions are told of one request. */
export interface ExpressionInput {
  /** As whoever asks sees it. */
  readonly shown: AdmissionAttributes;
  /** The AdmissionRequest. */
  readonly request: JsonObject;
  /** Where the object lies. */
  readonly namespace?: KubeObject | undefined;
  readonly params?: KubeObject | undefined;
  readonly decide: (attributes: AccessAttributes) => Decision;
}

export function expressionValues(input: ExpressionInput): CompositionValues {
  const { shown, request, namespace, params, decide } = input;
  return {
    variables: {
      object: shown.object ?? null,
      oldObject: shown.oldObject ?? null,
      request,
      namespaceObject: namespace ?? null,
      params: params ?? null,
    },
    authorizer: createAuthorizer(shown.user, decide),
    requestResource: requestResource(shown),
  };
}

function requestResource(attributes: AdmissionAttributes): CelResourceCheck {
  const { subresource, namespace, name } = attributes;
  const { group, plural } = attributes.resource.strategy.type;
  return { group, resource: plural, subresource, namespace, name };
}

function createAuthorizer(user: User, decide: ExpressionInput['decide']): CelAuthorizer {
  return {
    decide: (check) => {
      const attributes: AccessAttributes =
        check.kind === 'path' ? { ...check, user } : { ...check, user, version: '*' };
      return decide(attributes);
    },
    serviceAccount: (namespace, name) => {
      const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
      return createAuthorizer(
        { name: `system:serviceaccount:${namespace}:${name}`, groups },
        decide,
      );
    },
  };
}
