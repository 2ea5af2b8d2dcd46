import { type JsonObject, sha256 } from '@fnlet/base';
import { buildOpenApi } from '@fnlet/schema';
import type { Catalog } from './catalog.ts';
import { type Resource, resourceVerbs } from './resource.ts';
import { serverVersion } from './server-version.ts';

interface Document {
  /** The resources that it was made from: a new catalog has new ones. */
  readonly resources: readonly Resource[];
  readonly value: JsonObject;
  readonly hash: string;
}

/**
 * The OpenAPI v3 documents of the served group-versions.
 *
 * I1. A document is built at first use and kept while its resources are served; kinds that nobody
 *     asks about cost nothing at start.
 * I2. The hash of a document is that of its text, so that clients may keep it for good.
 */
export class OpenApiIndex {
  readonly #catalog: Catalog;
  readonly #documents = new Map<string, Document>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** `/openapi/v3`: where each document is, by hash. */
  index(): JsonObject {
    const paths: Record<string, unknown> = {};
    const served = new Set<string>();
    for (const group of this.#catalog.groups()) {
      for (const version of this.#catalog.versions(group)) {
        const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
        served.add(path);
        const { hash } = this.#document(path, group, version);
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
      }
    }
    for (const path of this.#documents.keys()) if (!served.has(path)) this.#documents.delete(path);
    return { paths };
  }

  /** The document at `api/v1` or `apis/<group>/<version>`. */
  find(path: string): { readonly value: JsonObject; readonly hash: string } | undefined {
    const [root, first = '', second] = path.split('/');
    const [group, version] = root === 'api' ? ['', first] : [first, second ?? ''];
    if (!this.#catalog.versions(group).includes(version)) return undefined;
    return this.#document(path, group, version);
  }

  #document(path: string, group: string, version: string): Document {
    const resources = this.#catalog.resources(group, version);
    const kept = this.#documents.get(path);
    if (kept !== undefined && sameItems(kept.resources, resources)) return kept;
    const value = buildOpenApi({
      group,
      version,
      resources: resources.map(({ strategy }) => ({
        ...strategy.type,
        schema: strategy.schema,
        verbs: resourceVerbs(strategy),
        subresources: { status: strategy.hasStatus, scale: strategy.scale !== undefined },
        strategicMergePatch: strategy.mergeType !== undefined,
      })),
      title: 'Kubernetes',
      infoVersion: serverVersion.gitVersion,
    });
    const hash = sha256(JSON.stringify(value)).toUpperCase();
    const document = { resources, value, hash };
    this.#documents.set(path, document);
    return document;
  }
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
