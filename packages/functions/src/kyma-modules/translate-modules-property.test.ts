// Whatever the definitions of these kinds let pass is translated, to what Fnlet's own definitions
// let pass, or refused with a reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionCrd, triggerCrd } from '@fnlet/api';
import { apiRuleCrd, scaledObjectCrd, subscriptionCrd } from '@fnlet/api/kyma-modules';
import { isJsonObject } from '@fnlet/base';
import type { CustomResourceDefinition, JsonSchema, KubeObject } from '@fnlet/machinery';
import { type CompiledSchema, compileSchema } from '@fnlet/schema';
import fc from 'fast-check';
import { translateApiRule } from './translate-api-rule.ts';
import { translateScaledObject } from './translate-scaled-object.ts';
import { translateSubscription } from './translate-subscription.ts';

function schemaOf({ spec }: CustomResourceDefinition): JsonSchema {
  return spec.versions[0]?.schema?.openAPIV3Schema ?? {};
}

const resource = { root: 'resource' } as const;
const trigger = compileSchema(schemaOf(triggerCrd), resource);
const { properties: functionFields = {} } = schemaOf(functionCrd);
const scale = compileSchema(functionFields.spec?.properties?.scale ?? {});

/** Any of these, mostly; now and then anything. */
function mostly<T>(...right: readonly T[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...right) }, fc.jsonValue());
}

/** What is right but for, perhaps, two of its fields. */
function nearly(
  right: object,
  fields: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<unknown> {
  const keys = fc.subarray(Object.keys(fields), { maxLength: 2 });
  return fc.tuple(keys, fc.record(fields)).map(([changed, all]) => {
    const change = Object.entries(all).filter(([key]) => changed.includes(key));
    return { ...right, ...Object.fromEntries(change) };
  });
}

/** What a translation gives, and how it is to be. */
interface Outcome {
  readonly kind: 'translated' | 'refused';
  readonly reasons?: readonly string[];
  readonly made: readonly (readonly [CompiledSchema, unknown])[];
}

function check(
  crd: CustomResourceDefinition,
  specs: fc.Arbitrary<unknown>,
  translate: (object: KubeObject) => Outcome,
): void {
  const accepts = compileSchema(schemaOf(crd), resource);
  const { group, names, versions } = crd.spec;
  const counts = { translated: 0, refused: 0, impossible: 0 };
  const version = fc.constantFrom(...versions.map(({ name }) => name));
  fc.assert(
    fc.property(specs, version, (spec, name) => {
      const metadata = { name: 'hello', namespace: 'default' };
      const object = { apiVersion: `${group}/${name}`, kind: names.kind, metadata, spec };
      const full = accepts.applyDefaults(object);
      if (!isJsonObject(full) || accepts.validate(full).length > 0) {
        counts.impossible++;
        return;
      }
      const { kind, reasons = [], made } = translate(Object(full));
      counts[kind]++;
      if (kind === 'refused') assert.ok(reasons.join('').length > 0);
      for (const [schema, value] of made) {
        assert.deepEqual(schema.validate(value), []);
        assert.deepEqual(schema.prune(value).unknownFields, []);
      }
    }),
    { numRuns: 1000 },
  );
  assert.ok(counts.translated > 30 && counts.refused > 100, JSON.stringify(counts));
}

test('every Subscription is translated or refused with a reason', () => {
  const sink = 'http://a.default.svc.cluster.local';
  const specs = nearly(
    { sink, source: 'my-app', types: ['order.created.v1'] },
    {
      sink: mostly('http://a.default.svc.cluster.local', 'http://a.b.svc.cluster.local', '::', ''),
      source: mostly('my-app', 'a*b', ' ', ''),
      types: fc.array(mostly('order.created.v1', 'a.b', 'a', 'x>.y', ''), { maxLength: 4 }),
      typeMatching: mostly('standard', 'exact', 'loose'),
      config: fc.dictionary(fc.constant('maxInFlightMessages'), mostly('10', '0', 'x', '99999')),
    },
  );
  check(subscriptionCrd, specs, (object) => {
    const translation = translateSubscription(object);
    const made = translation.kind === 'translated' ? [[trigger, translation.trigger] as const] : [];
    return { ...translation, made };
  });
});

test('every APIRule is translated or refused with a reason', () => {
  const jwt = fc.record(
    {
      authentications: fc.array(
        fc.record(
          {
            issuer: mostly('https://a.example', 'a b', ''),
            jwksUri: mostly('https://a.example/keys', ''),
            fromHeaders: fc.array(
              fc.record({ name: mostly('X-T', 'host'), prefix: mostly('Bearer ', '') }),
              { maxLength: 1 },
            ),
          },
          { requiredKeys: ['issuer'] },
        ),
        { maxLength: 3 },
      ),
      authorizations: fc.array(
        fc.record(
          {
            audiences: fc.array(mostly('a', 'b'), { maxLength: 3 }),
            requiredScopes: mostly([], ['r']),
          },
          { requiredKeys: ['audiences'] },
        ),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: ['authentications'] },
  );
  const right = { path: '/*', methods: ['GET'], noAuth: true };
  const rule = nearly(right, {
    path: mostly('/*', '/a', '/a/{*}/{**}', '/.*', '/a/../b', 'x'),
    methods: fc.array(mostly('GET', 'POST', 'TRACE'), { minLength: 1, maxLength: 3 }),
    noAuth: fc.constantFrom(true, false),
    jwt,
    accessStrategies: fc.array(fc.record({ handler: mostly('allow', 'jwt', 'x'), config: jwt })),
    service: fc.record({ name: mostly('b', 'B_'), port: mostly<unknown>(80) }),
  });
  const specs = nearly(
    { hosts: ['incoming'], service: { name: 'a' }, rules: [right] },
    {
      hosts: fc.array(mostly('incoming', 'a.example.com', '*.b.example', 'A b'), { minLength: 1 }),
      host: mostly('old.example.com', ''),
      service: fc.record({ name: mostly('a'), namespace: mostly('default', 'other') }),
      rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
      corsPolicy: fc.record(
        {
          allowOrigins: fc.array(fc.record({ exact: mostly('*', 'https://a.example', '?') })),
          allowCredentials: fc.boolean(),
          maxAge: mostly<unknown>(300, '5m', -1),
        },
        { requiredKeys: [] },
      ),
    },
  );
  check(apiRuleCrd, specs, (object) => {
    const translation = translateApiRule(object);
    const triggers = translation.kind === 'translated' ? translation.triggers : [];
    return { ...translation, made: triggers.map((one) => [trigger, one] as const) };
  });
});

test('every ScaledObject is translated or refused with a reason', () => {
  const metadata = fc.record(
    {
      value: mostly('50', '0', 'x'),
      start: mostly('0 8 * * *', ''),
      end: mostly('0 18 * * *'),
      timezone: mostly('Europe/Berlin'),
      desiredReplicas: mostly('3', '0', '-1'),
      serverAddress: mostly('http://prometheus:9090', 'x'),
      query: mostly('up', ''),
      threshold: mostly('6.5', '-1', 'x'),
    },
    { requiredKeys: [] },
  );
  const types = mostly('cpu', 'memory', 'cron', 'prometheus', 'kafka', 'redis');
  const kyma = { apiVersion: 'serverless.kyma-project.io/v1alpha2', kind: 'Function' };
  const cpu = { type: 'cpu', metadata: { value: '50' } };
  const specs = nearly(
    { scaleTargetRef: { ...kyma, name: 'shop' }, triggers: [cpu] },
    {
      scaleTargetRef: fc.record(
        {
          name: mostly('shop'),
          kind: mostly('Function', 'Function', 'Function', 'Deployment'),
          apiVersion: mostly('serverless.kyma-project.io/v1alpha2'),
        },
        { requiredKeys: ['name', 'kind', 'apiVersion'] },
      ),
      minReplicaCount: mostly(0, 1, 5, 2000),
      maxReplicaCount: mostly(10, 1, 5000),
      cooldownPeriod: mostly(300, 0),
      triggers: fc.array(fc.record({ type: types, metadata }, { requiredKeys: ['type'] }), {
        minLength: 1,
        maxLength: 3,
      }),
      advanced: fc.jsonValue(),
    },
  );
  check(scaledObjectCrd, specs, (object) => {
    const translation = translateScaledObject(object);
    const made = translation.kind === 'translated' ? [[scale, translation.scale] as const] : [];
    return { ...translation, made };
  });
});
