/** HTTPRoutes that Triggers have in a cluster, by the definitions of the Gateway API itself. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type HttpSource, parseTrigger } from '@fnlet/api';
import { isJsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster } from '@fnlet/testing';
import { parse } from 'yaml';
import {
  parseParentReference,
  planHttpRoute,
} from '../packages/server/src/cluster/routes/plan-http-route.ts';
import { until } from './until.ts';

const clients = join(import.meta.dirname, '..', 'node_modules', '.cache', 'clients');
const files = (existsSync(clients) ? readdirSync(clients) : []).filter((name) =>
  /^gateway-api-v.*\.yaml$/.test(name),
);
if (files.length === 0) {
  describe('HTTPRoutes', { skip: 'no definition of the Gateway API is on this machine' }, () => {});
}

const definitionType: ResourceType = {
  ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
  ...{ plural: 'customresourcedefinitions', namespaced: false },
};
const httpRouteType: ResourceType = {
  ...{ group: 'gateway.networking.k8s.io', version: 'v1', kind: 'HTTPRoute' },
  ...{ plural: 'httproutes', namespaced: true },
};

const many = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** What is unusual about a Trigger, or as much as it may have. */
const sources: readonly (readonly [what: string, source: HttpSource])[] = [
  ['nothing', {}],
  ['all kinds of paths', { paths: [{ exact: '/a' }, { prefix: '/b/' }, { pattern: '/c/{id}' }] }],
  ['paths that no HTTPRoute takes as they are', { paths: [{ exact: '/ä' }, { prefix: '/100%' }] }],
  ['a certificate', { hosts: ['a.example'], tls: { secretName: 'pair' } }],
  [
    'as many hosts and paths as it may',
    {
      hosts: ['*.example.org', ...many(15).map((n) => `host-${n}.example.org`)],
      paths: many(16).map((n) => ({ exact: `/${n}` })),
    },
  ],
  ['a long path', { paths: [{ exact: `/${'a'.repeat(1_000)}` }] }],
];

function routeOf(name: string, http: HttpSource, gateway: string): KubeObject {
  const trigger = parseTrigger({
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Trigger' },
    metadata: { name, namespace: 'default', uid: 'u1' },
    spec: { source: { http }, target: { function: 'orders' } },
  });
  const parent = parseParentReference(gateway);
  const route = planHttpRoute(trigger, { parent, service: 'fnlet-gateway', port: 80 });
  assert.ok(route !== undefined);
  return route;
}

async function install(client: Client, file: string): Promise<void> {
  const definition: unknown = parse(readFileSync(join(clients, file), 'utf8'));
  assert.ok(isJsonObject(definition) && isJsonObject(definition.metadata));
  const { apiVersion, kind, metadata, spec } = definition;
  const { name, annotations } = metadata;
  const whole = { apiVersion, kind, metadata: { name, annotations }, spec };
  const { status, json } = await client.transport
    .request({
      method: 'POST',
      path: `/apis/${definitionType.group}/v1/${definitionType.plural}`,
      body: JSON.parse(JSON.stringify(whole)),
    })
    .then(async (answer) => ({ status: answer.status, json: await answer.json() }));
  assert.equal(status, 201, JSON.stringify(json));
  const listed = async (): Promise<boolean> => {
    await client.of(httpRouteType).list();
    return true;
  };
  await until(listed, { what: 'HTTPRoutes to be served' });
}

for (const file of files) {
  describe(`HTTPRoutes by ${file}`, () => {
    test('are taken for all that a Trigger may say, without a field too many', async () => {
      await using cluster = await startTestCluster();
      await install(cluster.client, file);
      const routes = cluster.client.of<KubeObject>(httpRouteType);
      for (const [index, [what, source]] of sources.entries()) {
        for (const gateway of ['edge/public', 'edge/public/https']) {
          const name = `route-${index}-${gateway.split('/').length}`;
          const route = routeOf(name, source, gateway);
          await routes
            .apply(route, { force: true, fieldValidation: 'Strict' })
            .catch((cause: unknown) => {
              throw new Error(`A Trigger with ${what} has no HTTPRoute`, { cause });
            });
        }
      }
    });

    test('are refused where they are wrong: the definition is looked at', async () => {
      await using cluster = await startTestCluster();
      await install(cluster.client, file);
      const routes = cluster.client.of<KubeObject>(httpRouteType);
      const right = routeOf('right', {}, 'edge/public');
      for (const spec of [
        { ...Object(right.spec), extra: true },
        { ...Object(right.spec), hostnames: ['not a host'] },
        { ...Object(right.spec), rules: [{ matches: [{ path: { type: 'Exact', value: 'a' } }] }] },
      ]) {
        const wrong = { ...right, spec };
        const options = { force: true, fieldValidation: 'Strict' } as const;
        await assert.rejects(routes.apply(wrong, options));
      }
    });
  });
}
