import { type Client, createClient, discover, type Transport } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { limits } from './limits.ts';
import { TestClusterError } from './test-cluster-error.ts';

/**
 * Creates objects one after the other. A definition is served before what follows it is created.
 *
 * @throws TestClusterError `KindNotServed`, StatusError for what the API refuses
 */
export async function installObjects(
  transport: Transport,
  objects: readonly KubeObject[],
): Promise<void> {
  const client = createClient(transport, { fieldManager: 'test' });
  let kinds = objects.length === 0 ? undefined : await discover(transport);
  for (const object of objects) {
    const find = (): ReturnType<NonNullable<typeof kinds>['ofKind']> =>
      kinds?.ofKind(object.apiVersion, object.kind);
    // A definition among the objects before may have brought the kind.
    if (find() === undefined) kinds = await discover(transport);
    const found = find();
    if (found === undefined) throw notServed(object);
    await client.of(found.type).create(object);
    if (object.kind === 'CustomResourceDefinition') await established(client, found.type, object);
  }
}

async function established(
  client: Client,
  type: Parameters<Client['of']>[0],
  { metadata }: KubeObject,
): Promise<void> {
  for (let turn = 0; turn < limits.establishedTurnsMax; turn++) {
    const definition = await client
      .of<Definition>(type)
      .get({ namespace: '', name: metadata.name });
    const conditions = definition.status?.conditions ?? [];
    if (conditions.some(({ type: name, status }) => name === 'Established' && status === 'True')) {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new TestClusterError(
    'KindNotServed',
    `Cannot serve "${metadata.name}": found it not established, expected no conflict of names`,
    { remedy: 'Look at the conditions of the definition' },
  );
}

interface Definition extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

function notServed({ apiVersion, kind, metadata }: KubeObject): TestClusterError {
  const message = `Cannot create ${kind} "${metadata.name}": found no such kind in ${apiVersion}`;
  return new TestClusterError('KindNotServed', `${message}, expected one that is served`, {
    remedy: 'Put its CustomResourceDefinition before it among the objects',
  });
}
