import type { TriggerObject } from '@fnlet/api';
import { type Judgement, listOf, objectOf, textOf, textsOf } from './judgement.ts';

type RouteCors = NonNullable<NonNullable<TriggerObject['spec']['source']['http']>['cors']>;

/** What v1beta1 has without a policy; v2 has none then. */
const oldDefault: RouteCors = {
  origins: ['*'],
  methods: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'],
  headers: ['*'],
};

/** Which pages of other origins may call, as a Trigger has it. */
export function planCors(
  policy: unknown,
  isOld: boolean,
  judgement: Judgement,
): RouteCors | undefined {
  if (policy === undefined) return isOld ? oldDefault : undefined;
  const { allowOrigins, allowMethods, allowHeaders, exposeHeaders, ...rest } = objectOf(policy);
  const origins = listOf(allowOrigins).flatMap((match) => {
    return Object.entries(objectOf(match)).flatMap(([kind, value]) => {
      if (kind === 'exact') return [textOf(value)];
      judgement.notice(`corsPolicy.allowOrigins: ${kind} has no counterpart; those are not let in`);
      return [];
    });
  });
  if (origins.length === 0) {
    judgement.notice('corsPolicy: lets no origin in, and has no effect');
    return undefined;
  }
  const [methods, headers, exposedHeaders] = [
    textsOf(allowMethods),
    textsOf(allowHeaders),
    textsOf(exposeHeaders),
  ] as const;
  const { maxAge } = rest;
  const age = typeof maxAge === 'number' ? `${maxAge}s` : textOf(maxAge);
  return {
    origins: [...new Set(origins)],
    ...(methods.length === 0 ? {} : { methods: [...new Set(methods)] }),
    ...(headers.length === 0 ? {} : { headers: [...new Set(headers)] }),
    ...(exposedHeaders.length === 0 ? {} : { exposedHeaders: [...new Set(exposedHeaders)] }),
    ...(rest.allowCredentials === true ? { credentials: true } : {}),
    ...(age === '' ? {} : { maxAge: age }),
  };
}
