import type { JsonObject } from '@fnlet/base';
import { openApiPaths } from './open-api-paths.ts';
import type { OpenApiResource } from './open-api-resource.ts';
import { openApiSchemas } from './open-api-schemas.ts';

/** One group version and the resources in it. */
export interface OpenApiGroup {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly OpenApiResource[];
  /**
   * Schemas by name, for kinds whose schema is written elsewhere and for what it refers to.
   * Default: none.
   */
  readonly definitions?: Readonly<Record<string, JsonObject>>;
  /** The document's title and version; upstream says `Kubernetes` and the server's version. */
  readonly title: string;
  readonly infoVersion: string;
}

/**
 * The OpenAPI v3 document of a group version, as served at `/openapi/v3/apis/<group>/<version>`.
 * kubectl reads from it the fields of a kind (`explain`), whether a PATCH takes `dryRun` and
 * `fieldValidation`, and whether it takes strategic merge patches.
 */
export function buildOpenApi(group: OpenApiGroup): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: group.title, version: group.infoVersion },
    paths: Object.fromEntries(group.resources.flatMap((resource) => openApiPaths(resource))),
    components: {
      schemas: openApiSchemas(group.resources, group.definitions),
      securitySchemes: {
        BearerToken: {
          type: 'apiKey',
          description: 'Bearer Token authentication',
          name: 'authorization',
          in: 'header',
        },
      },
    },
  };
}
