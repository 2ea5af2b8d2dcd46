import { type Clock, hasCode, isJsonObject, type JsonObject, systemClock } from '@fnlet/base';
import { parseApiVersion } from '@fnlet/machinery';
import { ClientError } from './client-error.ts';
import {
  type DiscoveredResource,
  parseAggregated,
  parseGroupVersions,
  parseResourceList,
} from './discovered-resource.ts';
import { type Requester, send } from './send.ts';
import type { Transport } from './transport.ts';

export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined;
  /** Waits for Retry-After run on it. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** What an API serves. */
export interface Discovery {
  /** The core group first, then the server's order; of each group the preferred version first. */
  readonly resources: readonly DiscoveredResource[];
  /**
   * Finds a kind as kubectl does: by plural, singular, kind or short name in any case, alone or
   * with its group (`functions.fnlet.dev`) or version and group (`functions.v1alpha1.fnlet.dev`).
   * Of several groups, the first counts.
   *
   * @throws ClientError `UnknownResource`
   */
  resolve(name: string): DiscoveredResource;
  /** Finds a kind as objects name it; `undefined` when it is not served. */
  ofKind(apiVersion: string, kind: string): DiscoveredResource | undefined;
}

/**
 * Asks an API what it serves: in two requests where it knows aggregated discovery (KEP-3352),
 * else one for each group version.
 */
export async function discover(
  transport: Transport,
  options: DiscoverOptions = {},
): Promise<Discovery> {
  const { signal, clock = systemClock } = options;
  const read: Read = (path, accept) => readDocument({ transport, clock }, { path, accept, signal });
  const [core, groups] = await Promise.all([discoverCore(read), discoverGroups(read)]);
  return new Index([...core, ...groups]);
}

class Index implements Discovery {
  readonly resources: readonly DiscoveredResource[];

  constructor(resources: readonly DiscoveredResource[]) {
    this.resources = resources;
  }

  resolve(name: string): DiscoveredResource {
    const [word = '', ...suffix] = name.toLowerCase().split('.');
    const groups = suffix.join('.');
    const found =
      this.#find((resource) => hasName(resource, word) && isInGroup(resource, groups)) ??
      this.#find((resource) => resource.shortNames.includes(word) && isInGroup(resource, groups));
    if (found !== undefined) return found;
    throw new ClientError(
      'UnknownResource',
      `Cannot find kind "${name}": found no such plural, singular, kind or short name in the API, ` +
        'expected one that it serves',
      { remedy: 'kubectl api-resources lists what the API serves' },
    );
  }

  ofKind(apiVersion: string, kind: string): DiscoveredResource | undefined {
    const { group, version } = parseApiVersion(apiVersion);
    return this.#find(
      ({ type }) => type.kind === kind && type.group === group && type.version === version,
    );
  }

  #find(isWanted: (resource: DiscoveredResource) => boolean): DiscoveredResource | undefined {
    return this.resources.find(isWanted);
  }
}

function hasName({ type, singular }: DiscoveredResource, word: string): boolean {
  return type.plural === word || singular === word || type.kind.toLowerCase() === word;
}

/** Whether `suffix` is empty, the resource's group, or its version and group. */
function isInGroup({ type }: DiscoveredResource, suffix: string): boolean {
  return suffix === '' || suffix === type.group || suffix === `${type.version}.${type.group}`;
}

type Read = (path: string, accept?: string) => Promise<JsonObject>;

const aggregated = ['v2', 'v2beta1'].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);
const acceptAggregated = [...aggregated, 'application/json'].join(',');

async function discoverCore(read: Read): Promise<readonly DiscoveredResource[]> {
  const answer = await read('/api', acceptAggregated);
  if (answer.kind === 'APIGroupDiscoveryList') return parseAggregated(answer);
  const versions = Array.isArray(answer.versions) ? answer.versions : [];
  return readLists(
    read,
    versions.map((version) => `/api/${version}`),
  );
}

async function discoverGroups(read: Read): Promise<readonly DiscoveredResource[]> {
  const answer = await read('/apis', acceptAggregated);
  if (answer.kind === 'APIGroupDiscoveryList') return parseAggregated(answer);
  return readLists(
    read,
    parseGroupVersions(answer).map((groupVersion) => `/apis/${groupVersion}`),
  );
}

async function readLists(
  read: Read,
  paths: readonly string[],
): Promise<readonly DiscoveredResource[]> {
  const lists = await Promise.all(paths.map((path) => readList(read, path)));
  return lists.flat();
}

async function readList(read: Read, path: string): Promise<readonly DiscoveredResource[]> {
  try {
    return parseResourceList(await read(path));
  } catch (error) {
    // The backend of one aggregated group may be down; the others are served.
    if (hasCode(error, 'ServiceUnavailable') || hasCode(error, 'NotFound')) return [];
    throw error;
  }
}

async function readDocument(
  requester: Requester,
  {
    path,
    accept = 'application/json',
    signal,
  }: {
    readonly path: string;
    readonly accept: string | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<JsonObject> {
  const headers = { accept };
  const response = await send(requester, { method: 'GET', path, headers, signal });
  const document = await response.json();
  if (isJsonObject(document)) return document;
  throw new ClientError(
    'InvalidAnswer',
    `Cannot read discovery "${path}": found ${typeof document}, expected an object`,
  );
}
