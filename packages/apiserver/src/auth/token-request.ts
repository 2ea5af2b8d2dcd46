import type { JsonObject } from '@fnlet/base';
import {
  type FieldError,
  formatGroupVersionKind,
  invalidError,
  type KubeObject,
  toKubeTime,
} from '@fnlet/machinery';
import { badRequest, conflict } from '../answer/status-texts.ts';
import { builtinStrategy } from '../builtins/builtin-strategy.ts';
import { tokenLifeMaxSeconds, tokenLifeMinSeconds, tokenLifeSeconds } from '../limits.ts';
import { objectField, textField, withFields, withMetadata } from '../object/object-form.ts';
import { readObject, requireObject } from '../object/objects.ts';
import type { ApiResponse } from '../request/api-request.ts';
import { decodeObject } from '../request/decode-object.ts';
import { toDocument } from '../request/json-document.ts';
import { fieldError, parseWriteOptions } from '../request/request-options.ts';
import { type ResourceRequest, respond, routeKey } from '../request/resource-request.ts';
import { createResource } from '../resource/resource.ts';
import { tokenIssuer } from './issuer.ts';
import { formatClaims, type ObjectClaim, type TokenClaims } from './token-claims.ts';

const group = 'authentication.k8s.io';

// It is asked of a ServiceAccount's own URL, so it has no place in the catalog.
const tokenRequest = createResource(
  builtinStrategy({ group, kind: 'TokenRequest', plural: 'tokenrequests', namespaced: true }),
);

/**
 * POST to a ServiceAccount's token: signs one for it (`kubectl create token`).
 *
 * @throws StatusError `NotFound`, `Invalid`, `BadRequest`, `Conflict` (another bound object)
 */
export async function createToken(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const { fieldValidation } = parseWriteOptions(request.query, 'CreateOptions');
  const { object: wish, warnings } = await decodeObject(tokenRequest, request, fieldValidation);
  const { object: account } = requireObject(context, resource, routeKey(route));
  checkPlace(wish, account);
  const spec = resolveSpec(objectField(wish, 'spec'));
  const now = context.clock.now();
  const bound = bindObject(asked, account, spec.boundObjectRef);
  const seconds = Math.floor(now / 1000);
  const token = await context.tokenIssuer.issue(
    formatClaims({
      id: context.random.uuid(),
      namespace: route.namespace,
      account: claimOf(account),
      ...bound,
      audiences: spec.audiences,
      notBefore: seconds,
      expiresAt: seconds + spec.expirationSeconds,
    }),
  );
  const { name, namespace } = account.metadata;
  const creationTimestamp = toKubeTime(now);
  const expirationTimestamp = toKubeTime((seconds + spec.expirationSeconds) * 1000);
  const answer = withFields(withMetadata(wish, { name, namespace, creationTimestamp }), {
    spec,
    status: { token, expirationTimestamp },
  });
  return respond(asked, toDocument(answer), { status: 201, warnings });
}

function claimOf({ metadata }: KubeObject): ObjectClaim {
  return { name: metadata.name, uid: metadata.uid ?? '' };
}

function checkPlace(wish: KubeObject, account: KubeObject): void {
  for (const field of ['name', 'namespace'] as const) {
    const named = wish.metadata[field] ?? '';
    if (named === '' || named === account.metadata[field]) continue;
    const text = `must match the service account ${field} if specified`;
    const found = `Invalid value: ${JSON.stringify(named)}: ${text}`;
    const error = fieldError('FieldValueInvalid', `metadata.${field}`, found);
    throw invalidError({ group, kind: 'TokenRequest' }, account.metadata.name, [error]);
  }
}

interface TokenRequestSpec {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly boundObjectRef?: JsonObject;
}

function resolveSpec(spec: JsonObject): TokenRequestSpec {
  const { audiences: asked, expirationSeconds: seconds = tokenLifeSeconds, boundObjectRef } = spec;
  const audiences = Array.isArray(asked) ? asked.filter((item) => typeof item === 'string') : [];
  const expirationSeconds = typeof seconds === 'number' ? seconds : tokenLifeSeconds;
  const errors = lifeErrors(expirationSeconds);
  if (errors.length > 0) throw invalidError({ group, kind: 'TokenRequest' }, '', errors);
  return {
    audiences: audiences.length === 0 ? [tokenIssuer] : audiences,
    expirationSeconds,
    ...(boundObjectRef === undefined
      ? {}
      : { boundObjectRef: objectField(spec, 'boundObjectRef') }),
  };
}

// pkg/apis/authentication/validation
function lifeErrors(seconds: number): readonly FieldError[] {
  const refuse = (text: string): readonly FieldError[] => [
    fieldError('FieldValueInvalid', 'spec.expirationSeconds', `Invalid value: ${seconds}: ${text}`),
  ];
  if (seconds < tokenLifeMinSeconds) {
    return refuse('may not specify a duration less than 10 minutes');
  }
  if (seconds > tokenLifeMaxSeconds) {
    return refuse('may not specify a duration larger than 2^32 seconds');
  }
  return [];
}

type Bound = Pick<TokenClaims, 'pod' | 'secret' | 'node'>;

/** The claims about the object that the token is to go with. */
function bindObject(
  asked: ResourceRequest,
  account: KubeObject,
  reference: JsonObject | undefined,
): Bound {
  if (reference === undefined) return {};
  const kind = textField(reference, 'kind');
  const stated = textField(reference, 'apiVersion');
  const apiVersion = stated || 'v1';
  const plural = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }[kind];
  const { context } = asked;
  const resource = plural === undefined ? undefined : context.catalog.find('', 'v1', plural);
  if (resource === undefined || apiVersion !== 'v1') {
    const type = formatGroupVersionKind(stated, kind);
    throw badRequest(`cannot bind token to object of type ${type}`);
  }
  const namespace = kind === 'Node' ? '' : (account.metadata.namespace ?? '');
  const key = { namespace, name: textField(reference, 'name') };
  const { object } = requireObject(context, resource, key);
  const uid = textField(reference, 'uid');
  if (kind === 'Pod') checkAccountOf(object, account);
  if (uid !== '' && uid !== object.metadata.uid) {
    const text =
      `the UID in the bound object reference (${uid}) does not match the UID in record. The ` +
      'object might have been deleted and then recreated';
    throw conflict({ group: '', plural: kind }, key.name, text);
  }
  if (kind === 'Secret') return { secret: claimOf(object) };
  if (kind === 'Node') return { node: claimOf(object) };
  return { pod: claimOf(object), node: nodeOf(asked, object) };
}

function checkAccountOf(pod: KubeObject, { metadata: { name } }: KubeObject): void {
  // A cluster's admission writes `default` into a Pod that names no account; here it is meant.
  if ((textField(objectField(pod, 'spec'), 'serviceAccountName') || 'default') === name) return;
  const text = `cannot bind token for serviceaccount "${name}" to pod running with different`;
  throw badRequest(`${text} serviceaccount name.`);
}

/** The Node that a Pod runs on, where it is known. */
function nodeOf({ context }: ResourceRequest, pod: KubeObject): ObjectClaim | undefined {
  const name = textField(objectField(pod, 'spec'), 'nodeName');
  const nodes = context.catalog.find('', 'v1', 'nodes');
  if (name === '' || nodes === undefined) return undefined;
  const node = readObject(context, nodes, { namespace: '', name })?.object;
  return node === undefined ? undefined : claimOf(node);
}
