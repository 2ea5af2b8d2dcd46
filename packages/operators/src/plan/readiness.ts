/**
 * Whether an Operator can run: what it says can be meant, the API serves its kinds, its account may
 * do what it declares, and its function can be called. What it brings with it is made on the way.
 */
import {
  type FunctionObject,
  functionConditions,
  functionType,
  type OperatorObject,
  operatorConditions,
  operatorReasons,
  operatorType,
} from '@fnlet/api';
import {
  type Clock,
  canonicalJson,
  errorMessage,
  FnletError,
  isJsonObject,
  type Logger,
} from '@fnlet/base';
import { actAs, type Cache, type Client, installCrds } from '@fnlet/client';
import {
  findCondition,
  type KubeObject,
  objectKey,
  type ResourceType,
  StatusError,
} from '@fnlet/machinery';
import { isApplied, resourceTypeOf } from '@fnlet/reconcile';
import type { Operator } from '@fnlet/sdk/operator';
import type { AccessReviews } from '../access/access-reviews.ts';
import { type Account, userOf } from '../access/account.ts';
import { describeMissing, requiredPermissions, rulesOf } from '../access/permission.ts';
import { HubError } from '../hub-error.ts';
import { type DeclaredOperator, declareOperator } from './declare-operator.ts';
import { inlineFunction } from './inline-function.ts';
import { definitionType, type KindFinder } from './kind-finder.ts';
import { kindId, kindsNamed, type ServedKind } from './kinds.ts';
import type { OperatorTrouble } from './plan-operator-status.ts';

/** The account as which an Operator acts. */
export function accountOf({ metadata, spec }: OperatorObject): Account {
  return { namespace: metadata.namespace ?? '', name: spec.serviceAccountName ?? 'default' };
}

/** The Function that an Operator calls. */
export function functionNameOf({ metadata, spec }: OperatorObject): string {
  return spec.reconcile.function ?? metadata.name;
}

/** What an Operator is ready to run as. */
export interface ReadyOperator {
  readonly declared: DeclaredOperator;
  /** Equal for two judgements after which the same is to run. */
  readonly fingerprint: string;
}

/** What an Operator is ready to run as, or why it is not. */
export type Judgement = ReadyOperator | { readonly trouble: OperatorTrouble };

/** What the hub itself may watch. */
export interface WatchRights {
  /** Whether it may watch this kind in all namespaces. */
  may(type: ResourceType, signal: AbortSignal): Promise<boolean>;
  /** What people do so that it may. */
  readonly remedy: string;
}

export interface ReadinessOptions {
  readonly client: Client;
  readonly functions: Cache<FunctionObject>;
  readonly kinds: KindFinder;
  readonly reviews: AccessReviews;
  readonly watching: WatchRights | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class Readiness {
  readonly #options: ReadinessOptions;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /**
   * @param isOnly whether no other Operator is for the same kind: then the runtime tells in the
   *   status of its objects how runs went, where there is room for it
   * @throws whatever the API answers that says nothing about the Operator
   */
  async judge(operator: OperatorObject, isOnly: boolean, signal: AbortSignal): Promise<Judgement> {
    try {
      return await this.#judge(operator, isOnly, signal);
    } catch (error) {
      if (error instanceof Trouble) return { trouble: error.told };
      throw error;
    }
  }

  async #judge(operator: OperatorObject, isOnly: boolean, signal: AbortSignal): Promise<Judgement> {
    const { spec, metadata } = operator;
    if (metadata.annotations?.['fnlet.dev/paused'] === 'true') throw paused();
    await this.#installDefinitions(operator, signal);
    const kinds = await this.#findKinds(operator, signal);
    const own = kinds.get(kindId(spec.for));
    const { kinds: finder } = this.#options;
    const hasConditions = isOnly && own !== undefined && (await finder.hasConditions(own, signal));
    const declared = this.#declare(operator, { kinds, hasConditions });
    await this.#requireAccess(operator, { declared, kinds, signal });
    await this.#requireWatches(kinds, signal);
    await this.#requireFunction(operator, signal);
    const found = [...kinds].map(([id, { kind, hasStatus }]) => [
      id,
      kind.plural,
      kind.scope,
      hasStatus,
    ]);
    const { uid = '', generation = 0 } = metadata;
    return { declared, fingerprint: canonicalJson([uid, generation, hasConditions, found]) };
  }

  async #installDefinitions(operator: OperatorObject, signal: AbortSignal): Promise<void> {
    const { crds = [] } = operator.spec;
    if (crds.length === 0) return;
    const { client, clock } = this.#options;
    const own = client
      .over(actAs(client.transport, userOf(accountOf(operator))))
      .as(nameOf(operator));
    try {
      const definitions = crds.map(readDefinition);
      const known = own.of<KubeObject>(definitionType);
      const isStanding = async (definition: KubeObject): Promise<boolean> => {
        const live = await known.tryGet(objectKey(definition), { signal });
        return isApplied(definition, { live, manager: own.fieldManager });
      };
      const standing = await Promise.all(definitions.map(isStanding));
      const others = definitions.filter((_, index) => standing[index] !== true);
      await installCrds(own, others, { clock, signal });
      if (others.length > 0) this.#options.kinds.forget();
    } catch (error) {
      throw this.#definitionTrouble(operator, error);
    }
  }

  #definitionTrouble(operator: OperatorObject, error: unknown): unknown {
    if (error instanceof StatusError && error.code === 'Forbidden') {
      const rules = rulesOf(requiredDefinitionRights);
      return new Trouble({
        condition: operatorConditions.permissionsGranted,
        reason: operatorReasons.permissionMissing,
        message: describeMissing(rules, accountOf(operator)),
        missing: rules,
      });
    }
    const isRefused = error instanceof HubError || error instanceof StatusError;
    if (!isRefused && !(error instanceof FnletError && error.code === 'KindNotServed'))
      return error;
    return new Trouble({
      condition: operatorConditions.kindsServed,
      reason: operatorReasons.definitionRefused,
      message: errorMessage(error),
    });
  }

  async #findKinds(
    { spec }: OperatorObject,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ServedKind>> {
    const kinds = new Map<string, ServedKind>();
    for (const named of kindsNamed(spec)) {
      try {
        kinds.set(kindId(named), await this.#options.kinds.find(named, signal));
      } catch (error) {
        if (!(error instanceof HubError)) throw error;
        throw new Trouble({
          condition: operatorConditions.kindsServed,
          reason: operatorReasons.kindNotServed,
          message: `${error.message}. ${error.remedy ?? ''}`.trim(),
        });
      }
    }
    return kinds;
  }

  #declare(
    operator: OperatorObject,
    found: { readonly kinds: ReadonlyMap<string, ServedKind>; readonly hasConditions: boolean },
  ): DeclaredOperator {
    const { logger } = this.#options;
    const { namespace, name } = objectKey(operator);
    const onTrouble = (message: string): void => {
      logger.warn(message, { operator: `${namespace}/${name}` });
    };
    try {
      return declareOperator(operator, { ...found, onTrouble });
    } catch (error) {
      if (!(error instanceof FnletError)) throw error;
      throw new Trouble({
        condition: operatorConditions.ready,
        reason: operatorReasons.invalidSpec,
        message: error.message,
      });
    }
  }

  async #requireAccess(
    operator: OperatorObject,
    judged: {
      readonly declared: DeclaredOperator;
      readonly kinds: ReadonlyMap<string, ServedKind>;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { declared, kinds, signal } = judged;
    const { spec } = operator;
    const asked: Operator = {
      ...declared,
      reconcile: () => ({}),
      ...(spec.finalize === true ? { cleanup: () => ({}) } : {}),
    };
    const account = accountOf(operator);
    const required = requiredPermissions(asked, spec, kinds);
    const missing = rulesOf(await this.#options.reviews.missing(account, required, signal));
    if (missing.length === 0) return;
    throw new Trouble({
      condition: operatorConditions.permissionsGranted,
      reason: operatorReasons.permissionMissing,
      message: describeMissing(missing, account),
      missing,
    });
  }

  /** Caches are shared, so they are read with the hub's own rights. */
  async #requireWatches(
    kinds: ReadonlyMap<string, ServedKind>,
    signal: AbortSignal,
  ): Promise<void> {
    const { watching } = this.#options;
    if (watching === undefined) return;
    for (const { kind } of kinds.values()) {
      const type = resourceTypeOf(kind);
      if (await watching.may(type, signal)) continue;
      const name = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
      throw new Trouble({
        condition: operatorConditions.permissionsGranted,
        reason: operatorReasons.permissionMissing,
        message: `Fnlet itself may not list and watch ${name}: ${watching.remedy}`,
      });
    }
  }

  async #requireFunction(operator: OperatorObject, signal: AbortSignal): Promise<void> {
    const { functions, client } = this.#options;
    const { namespace } = objectKey(operator);
    const name = functionNameOf(operator);
    const inline = inlineFunction(operator);
    const known = functions.get({ namespace, name });
    if (inline !== undefined) {
      if (known !== undefined && !isOwnedBy(known, operator)) throw taken(name);
      const live = await client
        .of<KubeObject>(functionType)
        .tryGet({ namespace, name }, { signal });
      const manager = client.fieldManager;
      const isStanding = live !== undefined && isApplied(inline, { live, manager });
      if (!isStanding) {
        await client.of<KubeObject>(functionType).apply(inline, { force: true, signal });
      }
    }
    if (known === undefined) throw notFound(operator, inline !== undefined);
    const routes = findCondition(known.status?.conditions ?? [], functionConditions.routes);
    if (routes?.status === 'True') return;
    throw new Trouble({
      condition: operatorConditions.functionReady,
      reason: operatorReasons.functionNotReady,
      message: `Function "${name}" does not serve: ${routes?.message ?? 'it is being made ready'}${waitingOf(operator)}`,
    });
  }
}

/** What keeps an Operator from running, on its way to who tells it. */
class Trouble extends Error {
  readonly told: OperatorTrouble;

  constructor(told: OperatorTrouble) {
    super(told.message);
    this.told = told;
  }
}

function paused(): Trouble {
  const message = 'Nothing is run: the annotation fnlet.dev/paused is "true"';
  return new Trouble({
    condition: operatorConditions.ready,
    reason: operatorReasons.paused,
    message,
  });
}

function taken(name: string): Trouble {
  return new Trouble({
    condition: operatorConditions.functionReady,
    reason: operatorReasons.functionTaken,
    message: `Function "${name}" is there already, and not the Operator's own: give the Operator another name, or name the Function in spec.reconcile.function`,
  });
}

function notFound(operator: OperatorObject, isInline: boolean): Trouble {
  const name = functionNameOf(operator);
  const missing = `Function "${name}" does not exist${waitingOf(operator)}`;
  return new Trouble({
    condition: operatorConditions.functionReady,
    reason: isInline ? operatorReasons.functionNotReady : operatorReasons.functionNotFound,
    message: isInline ? `Function "${name}" is being made` : missing,
  });
}

/** What its absence keeps from going: nobody but the function says that it may. */
function waitingOf(operator: OperatorObject): string {
  if (operator.spec.finalize !== true) return '';
  const finalizer = `fnlet.dev/${nameOf(operator)}`;
  return `; objects that are deleted wait for it, held by the finalizer ${finalizer}`;
}

const requiredDefinitionRights = ['get', 'create', 'patch'].map((verb) => ({
  ...{ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', subresource: '' },
  ...{ verb, namespace: '' },
}));

function nameOf({ metadata, spec }: OperatorObject): string {
  return spec.fieldManager ?? metadata.name;
}

function readDefinition(value: unknown): KubeObject {
  if (isDefinition(value)) return value;
  const found = (JSON.stringify(value) ?? typeof value).slice(0, 80);
  throw new HubError('InvalidSpec', `Cannot read spec.crds: found ${found}, expected definitions`);
}

function isDefinition(value: unknown): value is KubeObject {
  return (
    isJsonObject(value) &&
    value.apiVersion === 'apiextensions.k8s.io/v1' &&
    value.kind === 'CustomResourceDefinition' &&
    isJsonObject(value.metadata) &&
    typeof value.metadata.name === 'string'
  );
}

function isOwnedBy({ metadata }: KubeObject, operator: OperatorObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, uid }) => kind === operatorType.kind && uid === operator.metadata.uid,
  );
}
