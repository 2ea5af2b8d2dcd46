import type {
  ApplyOptions,
  Client,
  Patch,
  PatchOptions,
  ResourceClient,
  WriteOptions,
} from '@fnlet/client';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';

/** Shows the answer of a write to whoever reads objects of that type. */
export type ObserveWrite = (type: ResourceType, object: KubeObject) => void;

/**
 * A client whose writes can be read back from caches at once: each answer is given to `observe`.
 * The watch tells the same state later, which is no news then. A deletion is not seen before the
 * watch tells it: until then nobody knows whether the object is gone or waits for finalizers.
 */
export function createWriteThroughClient(client: Client, observe: ObserveWrite): Client {
  return {
    ...client,
    as: (fieldManager) => createWriteThroughClient(client.as(fieldManager), observe),
    over: (transport) => createWriteThroughClient(client.over(transport), observe),
    of: <T extends KubeObject>(type: ResourceType) =>
      writeThrough(client.of<T>(type), (object) => observe(type, object)),
  };
}

function writeThrough<T extends KubeObject>(
  client: ResourceClient<T>,
  observe: (object: T) => void,
): ResourceClient<T> {
  const { type } = client;
  const see = async (written: Promise<T>, { dryRun = false }: WriteOptions = {}): Promise<T> => {
    const object = await written;
    // Some subresources, such as scale, answer with another kind.
    if (!dryRun && object.kind === type.kind) observe(object);
    return object;
  };
  return {
    type,
    get: (key, options) => client.get(key, options),
    tryGet: (key, options) => client.tryGet(key, options),
    list: (options) => client.list(options),
    listAll: (options) => client.listAll(options),
    watch: (options) => client.watch(options),
    create: (object: T, options?: WriteOptions) => see(client.create(object, options), options),
    update: (object: T, options?: WriteOptions) => see(client.update(object, options), options),
    updateStatus: (object: T, options?: WriteOptions) =>
      see(client.updateStatus(object, options), options),
    patch: (key: ObjectKey, patch: Patch, options?: PatchOptions) =>
      see(client.patch(key, patch, options), options),
    apply: (object: KubeObject, options?: ApplyOptions) =>
      see(client.apply(object, options), options),
    getSubresource: (key, subresource, options) => client.getSubresource(key, subresource, options),
    createSubresource: (key, request, options) => client.createSubresource(key, request, options),
    updateSubresource: (key, request, options) => client.updateSubresource(key, request, options),
    delete: (key, options) => client.delete(key, options),
    deleteCollection: (options) => client.deleteCollection(options),
  };
}
