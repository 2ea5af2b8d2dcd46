/** What the tests of installations look at, and how strictly an API takes them. */
import { isJsonObject, type JsonObject, systemClock } from '@fnlet/base';
import { type Client, discover, installCrds } from '@fnlet/client';
import { type KubeObject, resourcePath } from '@fnlet/machinery';

/** A container of a planned Pod. */
export interface PlannedContainer {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly JsonObject[];
  readonly securityContext: JsonObject;
  readonly resources: { readonly requests: JsonObject; readonly limits: JsonObject };
  readonly startupProbe?: JsonObject;
  readonly readinessProbe?: JsonObject;
  readonly livenessProbe?: JsonObject;
}

/** The Pods of a planned Deployment. */
export interface PlannedPods {
  readonly name: string;
  readonly spec: JsonObject & {
    readonly securityContext: JsonObject;
    readonly volumes: readonly JsonObject[];
    readonly initContainers?: readonly PlannedContainer[];
    readonly containers: readonly PlannedContainer[];
  };
}

/** The Pods that these objects make. */
export function podTemplates(objects: readonly KubeObject[]): readonly PlannedPods[] {
  return objects.flatMap((object) => {
    if (!isDeployment(object)) return [];
    return [{ name: object.metadata.name, spec: object.spec.template.spec }];
  });
}

interface Deployment extends KubeObject {
  readonly spec: { readonly template: { readonly spec: PlannedPods['spec'] } };
}

function isDeployment(object: KubeObject): object is Deployment {
  return object.kind === 'Deployment';
}

/**
 * Applies the objects so that an unknown field is an error (fieldValidation=Strict), and returns
 * their resourceVersions.
 */
export async function applyStrictly(
  client: Client,
  objects: readonly KubeObject[],
): Promise<readonly string[]> {
  const { transport, fieldManager } = client;
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  await installCrds(client, definitions, { clock: systemClock });
  const discovery = await discover(transport);
  const versions: string[] = [];
  for (const object of objects) {
    const { apiVersion, kind, metadata } = object;
    const type = discovery.ofKind(apiVersion, kind)?.type;
    if (type === undefined) throw new Error(`no ${kind} of ${apiVersion}`);
    const response = await transport.request({
      method: 'PATCH',
      path: resourcePath(type, metadata),
      query: { fieldManager, force: 'true', fieldValidation: 'Strict' },
      contentType: 'application/apply-patch+yaml',
      body: object,
    });
    const answer = await response.json();
    if (response.status >= 300 || !isJsonObject(answer) || !isJsonObject(answer.metadata)) {
      throw new Error(`${kind} ${metadata.name}: ${JSON.stringify(answer)}`);
    }
    versions.push(String(answer.metadata.resourceVersion));
  }
  return versions;
}
