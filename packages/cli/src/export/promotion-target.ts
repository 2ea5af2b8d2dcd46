import { errorMessage, hasCode } from '@fnlet/base';
import {
  type Client,
  createClient,
  createHttpTransport,
  type Discovery,
  discover,
  type Kubeconfig,
} from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ObjectChange } from './object-change.ts';
import { planManifest } from './plan-manifest.ts';
import { nameOf } from './select-objects.ts';

/** Owner of the fields that are promoted. */
export const promoteManager = 'fnlet-promote';

export interface PromotionTerms {
  readonly config: Kubeconfig;
  readonly namespace: string;
  /** Whether fields that others have set are taken over. */
  readonly force: boolean;
}

/**
 * The cluster that objects are brought to. What is written goes by server-side apply, by one owner
 * of fields, and a field that the cluster does not know is refused, not dropped.
 */
export class PromotionTarget implements AsyncDisposable {
  readonly namespace: string;
  readonly #client: Client;
  readonly #contextName: string;
  readonly #force: boolean;
  readonly #signal: AbortSignal;
  #discovery: Promise<Discovery> | undefined;

  constructor({ config, namespace, force }: PromotionTerms, { clock, signal }: CliContext) {
    this.namespace = namespace;
    this.#client = createClient(createHttpTransport(config), {
      ...{ fieldManager: promoteManager, clock },
    });
    this.#contextName = config.contextName;
    this.#force = force;
    this.#signal = signal;
  }

  /** As people know it. */
  get title(): string {
    return `context "${this.#contextName}", namespace "${this.namespace}"`;
  }

  /**
   * What applying the objects would change; nothing is written.
   *
   * @throws CliError with everything that the cluster refuses
   */
  async compare(objects: readonly KubeObject[]): Promise<readonly ObjectChange[]> {
    const discovery = await this.#discover();
    this.#assertServed(objects, discovery);
    const changes: ObjectChange[] = [];
    const refusals: unknown[] = [];
    for (const object of objects) {
      const type = typeOf(object, discovery);
      if (type === undefined) continue;
      const placed = planManifest(object, this.namespace);
      try {
        const before = await this.#tryGet(type, placed);
        const after = await this.#apply(type, placed, true);
        changes.push({ object: placed, before, after });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refusals.push(new Error(`${nameOf(object)}: ${errorMessage(error)}`, { cause: error }));
      }
    }
    if (refusals.length > 0) throw this.#refused(refusals);
    return changes;
  }

  /** Writes one of them. */
  async write({ object }: ObjectChange): Promise<KubeObject> {
    const type = typeOf(object, await this.#discover());
    if (type === undefined) throw this.#notServed([object]);
    return this.#apply(type, object, false);
  }

  /** Which of these Secrets are not there. */
  async missingSecrets(names: readonly string[]): Promise<readonly string[]> {
    const secrets = this.#client.of<KubeObject>(secretType);
    const missing: string[] = [];
    for (const name of names) {
      const key = { namespace: this.namespace, name };
      try {
        if ((await secrets.tryGet(key, { signal: this.#signal })) === undefined) missing.push(name);
      } catch (error) {
        // Who may not read Secrets there is told that they are needed.
        if (!hasCode(error, 'Forbidden')) throw error;
        missing.push(name);
      }
    }
    return missing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.transport.close();
  }

  #discover(): Promise<Discovery> {
    this.#discovery ??= discover(this.#client.transport, { signal: this.#signal });
    return this.#discovery;
  }

  #tryGet(type: ResourceType, object: KubeObject): Promise<KubeObject | undefined> {
    const { namespace = '', name } = object.metadata;
    const key = { namespace, name };
    return this.#client.of<KubeObject>(type).tryGet(key, { signal: this.#signal });
  }

  #apply(type: ResourceType, object: KubeObject, dryRun: boolean): Promise<KubeObject> {
    return this.#client.of<KubeObject>(type).apply(object, {
      ...{ dryRun, force: this.#force, fieldValidation: 'Strict', signal: this.#signal },
    });
  }

  #assertServed(objects: readonly KubeObject[], discovery: Discovery): void {
    const missing = objects.filter((object) => typeOf(object, discovery) === undefined);
    if (missing.length > 0) throw this.#notServed(missing);
  }

  #notServed(objects: readonly KubeObject[]): CliError {
    const kinds = [...new Set(objects.map(({ kind, apiVersion }) => `${kind} of ${apiVersion}`))];
    const text = `Cannot promote to the ${this.title}: found no ${kinds.join(', ')} in that API`;
    const remedy = `Install Fnlet there: fnlet install --context ${this.#contextName}`;
    return new CliError(exitCodes.failed, text, { remedy });
  }

  #refused(refusals: readonly unknown[]): CliError {
    const causes = refusals.flatMap((error) => (error instanceof Error ? [error.cause] : []));
    const text = refusals.map(errorMessage).join('\n');
    const message = `Cannot promote to the ${this.title}: nothing was written\n${text}`;
    const remedy = this.#remedyOf(causes);
    return new CliError(exitCodes.failed, message, {
      cause: causes[0],
      ...(remedy === undefined ? {} : { remedy }),
    });
  }

  #remedyOf(causes: readonly unknown[]): string | undefined {
    const has = (code: string): boolean => causes.some((cause) => hasCode(cause, code));
    if (has('Forbidden'))
      return 'Use a context that may, with --to-context, or ask for the role edit';
    if (has('Conflict')) return '--force-conflicts takes over what others have set there';
    if (has('NotFound')) {
      const create = `kubectl create namespace ${this.namespace} --context ${this.#contextName}`;
      return `Create the namespace: ${create}; or choose one with --to-namespace`;
    }
    if (!unknownField.some(has)) return undefined;
    const where = `--context ${this.#contextName}`;
    return `Is Fnlet as new there? fnlet status ${where}; fnlet upgrade ${where}`;
  }
}

const secretType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
};

function typeOf({ apiVersion, kind }: KubeObject, discovery: Discovery): ResourceType | undefined {
  return discovery.ofKind(apiVersion, kind)?.type;
}

/** What an apply with a field that the API does not know is answered: by its schema, or strictly. */
const unknownField: readonly string[] = ['BadRequest', 'InternalError'];

/** An answer about this object, not a failure to get one. */
function isRefusal(error: unknown): boolean {
  const codes = ['Forbidden', 'Conflict', 'NotFound', 'Invalid', ...unknownField];
  return codes.some((code) => hasCode(error, code));
}
