import type { TriggerObject } from '@fnlet/api';
import type { JsonObject } from '@fnlet/base';
import { type Judgement, listOf, objectOf, textOf, textsOf } from './judgement.ts';

type RouteAuth = NonNullable<NonNullable<TriggerObject['spec']['source']['http']>['auth']>;
type JwtAuth = NonNullable<RouteAuth['anyOf'][number]['jwt']>;

interface Place {
  readonly at: string;
  readonly judgement: Judgement;
  /** In the words of v1beta1. */
  readonly isOld: boolean;
}

/** Handlers of v1beta1 that let everybody in. */
const open: ReadonlySet<string> = new Set(['allow', 'no_auth', 'noop']);

/** Who may call, as a Trigger has it; `undefined` for everybody. */
export function planAccess(rule: JsonObject, place: Place): RouteAuth | undefined {
  const { at, judgement, isOld } = place;
  if (isOld) return planStrategies(rule, place);
  const given = ['noAuth', 'jwt', 'extAuth'].filter(
    (key) => rule[key] !== undefined && rule[key] !== false,
  );
  if (given.length !== 1) {
    judgement.refuse(`${at}: One of the following fields must be set: noAuth, jwt, extAuth`);
  } else if (given[0] === 'jwt') {
    return planJwt(objectOf(rule.jwt), `${at}.jwt`, judgement);
  } else if (given[0] === 'extAuth') {
    judgement.refuse(`${at}.extAuth: no authorizer outside is asked here`);
  }
  return undefined;
}

function planStrategies(rule: JsonObject, { at, judgement }: Place): RouteAuth | undefined {
  const strategies = listOf(rule.accessStrategies).map(objectOf);
  if (strategies.length === 0) judgement.refuse(`${at}.accessStrategies: found none`);
  const mutators = listOf(rule.mutators).map((one) => textOf(objectOf(one).handler));
  for (const name of mutators.filter((one) => one !== 'noop')) {
    judgement.refuse(`${at}.mutators: ${name || 'one without handler'} has no counterpart`);
  }
  const methods: RouteAuth['anyOf'][number][] = [];
  for (const { handler, config } of strategies) {
    const name = textOf(handler);
    if (open.has(name)) continue;
    const auth =
      name === 'jwt' ? planJwt(objectOf(config), `${at}.accessStrategies`, judgement) : undefined;
    if (name !== 'jwt') judgement.refuse(`${at}.accessStrategies: ${name} has no counterpart`);
    methods.push(...(auth?.anyOf ?? []));
  }
  const isOpen = strategies.some(({ handler }) => open.has(textOf(handler)));
  return isOpen || methods.length === 0 ? undefined : { anyOf: methods };
}

/** Tokens of an issuer: each of its authentications with each of its authorizations. */
function planJwt(jwt: JsonObject, at: string, judgement: Judgement): RouteAuth {
  const authentications = listOf(jwt.authentications).map(objectOf);
  const authorizations = listOf(jwt.authorizations).map(objectOf);
  if (authentications.length === 0) {
    judgement.refuse(`${at}.authentications: found none, expected issuer and jwksUri`);
  }
  const all = authorizations.length === 0 ? [{}] : authorizations;
  return {
    anyOf: authentications.flatMap((authentication) =>
      all.map((authorization) => ({
        jwt: {
          ...planIssuer(authentication, at, judgement),
          ...planGrant(authorization, at, judgement),
        },
      })),
    ),
  };
}

function planIssuer(
  authentication: JsonObject,
  at: string,
  judgement: Judgement,
): Pick<JwtAuth, 'issuer' | 'keysUrl' | 'header'> {
  const keysUrl = textOf(authentication.jwksUri);
  if (listOf(authentication.fromParams).length > 0) {
    judgement.refuse(`${at}.fromParams: tokens come in headers: addresses stand in every log`);
  }
  const headers = listOf(authentication.fromHeaders).map(objectOf);
  if (headers.length > 1) judgement.refuse(`${at}.fromHeaders: found several, expected one`);
  const [{ name, prefix } = {}] = headers;
  const header = textOf(name);
  const isUsual = header === '' || header.toLowerCase() === 'authorization';
  const word = textOf(prefix).trim();
  if (isUsual ? word !== '' && word !== 'Bearer' : word !== '') {
    judgement.refuse(`${at}.fromHeaders: found the prefix "${word}", expected none but Bearer`);
  }
  return {
    issuer: textOf(authentication.issuer),
    ...(keysUrl === '' ? {} : { keysUrl }),
    ...(isUsual ? {} : { header }),
  };
}

function planGrant(
  authorization: JsonObject,
  at: string,
  judgement: Judgement,
): Pick<JwtAuth, 'audiences' | 'scopes' | 'claims'> {
  const scopes = textsOf(authorization.requiredScopes);
  // All of them; a Trigger takes one of its audiences.
  const [audience, ...further] = textsOf(authorization.audiences);
  if (audience === undefined) {
    judgement.refuse(
      `${at}.authorizations: found no audiences, expected them: a token that is for somebody ` +
        'else is let in by no Trigger',
    );
  }
  const claims = further.map((value) => ({ claim: 'aud', values: [value] }));
  return {
    audiences: audience === undefined ? [] : [audience],
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(claims.length === 0 ? {} : { claims }),
  };
}
