import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import { objectField, textField } from '../object/object-form.ts';
import { objectsPrefix } from '../object/object-keys.ts';

const prefix = `${objectsPrefix}apiregistration.k8s.io/apiservices/`;

/** A version of a group that another server answers for (apiregistration.k8s.io/v1 APIService). */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** The authority that it is trusted by, in PEM. Default: those of the machine. */
  readonly caPem: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
}

/**
 * Which versions of groups other servers answer for.
 *
 * I1. An APIService counts for every request that comes after its write was answered: the store
 *     tells of a change in the turn in which readers first see it.
 * I2. Without APIServices, asking costs one comparison.
 */
export class ApiServices {
  readonly #store: Store;
  readonly #leave: () => void;
  #current: ReadonlyMap<string, RemoteVersion> | undefined;

  /** @param onChange some are others than before; called within the write: it must only note it */
  constructor(store: Store, onChange: () => void) {
    this.#store = store;
    const forget = (): void => {
      this.#current = undefined;
      onChange();
    };
    this.#leave = store.subscribe(prefix, { changed: forget, ended: forget });
  }

  /** Who answers for a version, where that is not this server. */
  find(group: string, version: string): RemoteVersion | undefined {
    return this.#all.get(`${version}.${group}`);
  }

  /** Those of a group, or of all. */
  list(group?: string): readonly RemoteVersion[] {
    const all = [...this.#all.values()];
    return group === undefined ? all : all.filter((remote) => remote.group === group);
  }

  close(): void {
    this.#leave();
  }

  get #all(): ReadonlyMap<string, RemoteVersion> {
    this.#current ??= new Map(
      this.#store
        .list(prefix)
        .objects.flatMap(({ value }) => parseApiService(value) ?? [])
        .map((remote) => [`${remote.version}.${remote.group}`, remote]),
    );
    return this.#current;
  }
}

/** `undefined` for one without a service, and for the core: this server answers for that itself. */
function parseApiService(object: JsonObject): RemoteVersion | undefined {
  const spec = objectField(object, 'spec');
  const { service } = spec;
  if (!isJsonObject(service) || textField(spec, 'group') === '') return undefined;
  const bundle = textField(spec, 'caBundle');
  return {
    group: textField(spec, 'group'),
    version: textField(spec, 'version'),
    service: {
      namespace: textField(service, 'namespace'),
      name: textField(service, 'name'),
      port: typeof service.port === 'number' ? service.port : 443,
    },
    caPem: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString(),
    insecureSkipTlsVerify: spec.insecureSkipTLSVerify === true,
  };
}
