import { isJsonObject, type JsonObject } from '@fnlet/base';

/** As whom requests are to be judged, instead of who sends them (`as…` of a kubeconfig's user). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Whom a user of a kubeconfig acts as; `undefined`: as itself. */
export function parseImpersonation(user: JsonObject): Impersonation | undefined {
  const { as: name, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  if (typeof name !== 'string' || name === '') return undefined;
  const extras = Object.entries(isJsonObject(extra) ? extra : {});
  return {
    user: name,
    ...(typeof uid === 'string' ? { uid } : {}),
    groups: texts(groups),
    extra: Object.fromEntries(extras.map(([key, values]) => [key, texts(values)])),
  };
}

/** The headers that say it (client-go, transport/round_trippers.go). */
export function impersonationHeaders(
  impersonation: Impersonation | undefined,
): Readonly<Record<string, string | string[]>> {
  if (impersonation === undefined) return {};
  const { user, uid, groups, extra } = impersonation;
  return {
    'impersonate-user': user,
    ...(uid === undefined ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        [...values],
      ]),
    ),
  };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
