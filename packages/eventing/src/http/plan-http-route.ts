import type { HttpPath, HttpSource, TriggerObject } from '@fnlet/api';
import {
  formatRoutePath,
  type HttpMatch,
  type HttpRoute,
  parseRoutePath,
  type WrittenPath,
} from '@fnlet/gateway';
import { formatObjectKey, objectKey } from '@fnlet/machinery';

/** The route of a Trigger, and what it wants and does not get. */
export interface HttpRoutePlan {
  readonly route: HttpRoute;
  readonly lost: readonly LostMatch[];
}

/** Requests that somebody else has. */
export interface LostMatch {
  /** Such as `GET shop.example.com/api`. */
  readonly what: string;
  readonly holder: string;
}

/** What requests a source asks for: equal texts are the same requests. */
export function httpClaims(source: HttpSource): readonly string[] {
  return [...new Set(wishesOf(source).map(({ claim }) => claim))];
}

/**
 * What becomes of a Trigger with the source http.
 *
 * @param holder who has what is claimed
 */
export function planHttpRoute(
  {
    trigger,
    source,
    target,
  }: {
    readonly trigger: TriggerObject;
    readonly source: HttpSource;
    readonly target: HttpRoute['target'];
  },
  holder: (claim: string) => string | undefined,
): HttpRoutePlan {
  const id = formatObjectKey(objectKey(trigger));
  const matches: HttpMatch[] = [];
  const lost: LostMatch[] = [];
  for (const { claim, host, written, path, method } of wishesOf(source)) {
    const holding = holder(claim) ?? id;
    if (holding === id) matches.push({ host, path, methods: method === undefined ? [] : [method] });
    else lost.push({ what: `${method ?? 'any method'} ${host}${written}`, holder: holding });
  }
  const route: HttpRoute = {
    id,
    matches,
    target,
    ...(source.tls?.redirect === true ? { httpsOnly: true } : {}),
    ...(source.rewrite === undefined ? {} : { rewrite: source.rewrite.path }),
  };
  return { route, lost };
}

interface Wish extends Omit<HttpMatch, 'methods'> {
  readonly claim: string;
  /** The path as it stands in the Trigger. */
  readonly written: string;
  readonly method: string | undefined;
}

const everyPath: readonly HttpPath[] = [{ prefix: '/' }];

function wishesOf({ hosts = [''], paths = everyPath, methods = [] }: HttpSource): Wish[] {
  const asked = methods.length === 0 ? [undefined] : methods;
  return hosts.flatMap((host) =>
    paths.map(writtenPath).flatMap((written) => {
      const path = parseRoutePath(written);
      const place = `${host} ${formatRoutePath(path)}`;
      const { text } = written;
      return asked.map((method) => ({
        ...{ claim: `${place} ${method ?? '*'}`, written: text, host, path, method },
      }));
    }),
  );
}

/** The one member that a path has. */
export function writtenPath({ exact, prefix, pattern = '/' }: HttpPath): WrittenPath {
  if (exact !== undefined) return { kind: 'exact', text: exact };
  return prefix === undefined
    ? { kind: 'pattern', text: pattern }
    : { kind: 'prefix', text: prefix };
}
