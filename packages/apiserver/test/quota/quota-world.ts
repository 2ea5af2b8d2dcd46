import assert from 'node:assert/strict';
import type { JsonObject } from '@fnlet/base';
import { type MemoryStore, openMemoryStore } from '@fnlet/store';
import type { ApiServerOptions } from '../../src/index.ts';
import { at, objectAt } from '../at.ts';
import { type Answer, type AskOptions, type OpenedServer, openServer } from '../opened-server.ts';

const inDefault = '/api/v1/namespaces/default';
const merge = 'application/merge-patch+json';

/** A server with a furnished namespace, and what asks it about quotas. */
export interface QuotaWorld extends AsyncDisposable {
  readonly store: MemoryStore;
  readonly ask: OpenedServer['ask'];
  /** Creates a quota with this spec and waits for its first count. */
  bound(name: string, spec: JsonObject): Promise<void>;
  create(plural: string, object: JsonObject, options?: AskOptions): Promise<Answer>;
  patch(path: string, body: JsonObject, options?: AskOptions): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  /** What the status of a quota says is used. */
  used(name: string): Promise<JsonObject>;
  /** Waits until a quota says that so much is used. */
  untilUsed(name: string, expected: JsonObject): Promise<void>;
}

export async function openQuotaWorld(options: Partial<ApiServerOptions> = {}): Promise<QuotaWorld> {
  await using stack = new AsyncDisposableStack();
  const store = openMemoryStore();
  const { ask } = stack.use(await openServer({ store, ...options }));
  const statusOf = async (name: string): Promise<unknown> =>
    at((await ask('GET', `${inDefault}/resourcequotas/${name}`)).body, '/status');
  const create: QuotaWorld['create'] = (plural, object, rest) =>
    ask('POST', pathOf(plural), { body: object, ...rest });
  const untilStatus = (name: string, test: (status: unknown) => boolean): Promise<void> =>
    until(async () => test(await statusOf(name)), `the status of quota ${name}`);
  const account = `${inDefault}/serviceaccounts/default`;
  await until(async () => (await ask('GET', account)).status === 200, 'the account');
  await until(async () => (await ask('GET', pathOf('configmaps/kube-root-ca.crt'))).status === 200);
  const moved = stack.move();
  return {
    store,
    ask,
    create,
    bound: async (name, spec) => {
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec };
      assert.equal((await create('resourcequotas', quota)).status, 201);
      await untilStatus(name, (status) => at(status, '/used') !== undefined);
    },
    patch: (path, body, rest) => ask('PATCH', pathOf(path), { body, contentType: merge, ...rest }),
    remove: (path) => ask('DELETE', pathOf(path)),
    used: async (name) => objectAt(await statusOf(name), '/used'),
    untilUsed: async (name, expected) => {
      const wanted = JSON.stringify(expected);
      let found = '';
      const isSo = async (): Promise<boolean> => {
        found = JSON.stringify(at(await statusOf(name), '/used'));
        return found === wanted;
      };
      await until(isSo, () => `${wanted}, found ${found}`);
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** `secrets/a` in the namespace; a path is what it is. */
function pathOf(path: string): string {
  return path.startsWith('/') ? path : `${inDefault}/${path}`;
}

/** Lets everything that is under way go on until the condition holds. */
export async function until(
  condition: () => Promise<boolean>,
  what: string | (() => string) = 'it',
): Promise<void> {
  for (let turn = 0; turn < 5_000; turn++) {
    if (await condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`Waited in vain for ${typeof what === 'string' ? what : what()}`);
}

export function configMap(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

export function secret(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name } };
}

export function pod(name: string, spec: object = {}, resources: object = {}): JsonObject {
  const containers = [{ name: 'c', image: 'i', resources }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...spec } };
}

export function service(name: string, spec: object): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

/** What the answer says, if it is a refusal. */
export function refusal({ status, body }: Answer): string {
  return status === 403 ? String(at(body, '/message')) : `${status}`;
}
