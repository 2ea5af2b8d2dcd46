import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind } from './define-kind.ts';
import { field } from './field.ts';
import type { ObjectOf } from './kind.ts';

const WebSite = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'WebSite',
  shortNames: ['ws'],
  description: 'A page that some Pods serve.',
  spec: {
    html: field.text('The page.', { maxLength: 65_536 }),
    replicas: field.integer('How many Pods serve it.', { default: 1, minimum: 0 }),
    tier: field.choice('What it may cost.', ['small', 'large'], { optional: true }),
    hosts: field.list('Further names.', field.text('A name.'), { optional: true }),
    tls: field.object(
      'How it is encrypted.',
      {
        secret: field.text('The Secret with the certificate.'),
        port: field.integer('Where.', { default: 443 }),
      },
      { optional: true },
    ),
  },
  status: { url: field.text('Where it is reached.') },
  columns: { URL: '.status.url', Replicas: { path: '.spec.replicas', type: 'integer' } },
  rules: [{ rule: 'size(self.metadata.name) <= 40', message: 'shorten the name' }],
});
type WebSite = ObjectOf<typeof WebSite>;

test('a kind gives its objects their type: what is required, defaulted and optional', () => {
  const site: WebSite = {
    apiVersion: 'example.dev/v1',
    kind: 'WebSite',
    metadata: { name: 'a', namespace: 'default' },
    spec: { html: '<p>', replicas: 2, tls: { secret: 's', port: 443 } },
    status: { url: 'http://a', observedGeneration: 1 },
  };
  const replicas: number = site.spec.replicas;
  const tier: 'small' | 'large' | undefined = site.spec.tier;
  const port: number | undefined = site.spec.tls?.port;
  assert.deepEqual([replicas, tier, port], [2, undefined, 443]);
  // @ts-expect-error: "html" is required
  const withoutHtml: WebSite['spec'] = { replicas: 1 };
  // @ts-expect-error: there is no tier "huge"
  const huge: WebSite['spec'] = { html: '', replicas: 1, tier: 'huge' };
  assert.deepEqual([withoutHtml.html, huge.replicas], [undefined, 1]);
});

test('of() fills in what the kind says, and takes any part of the spec', () => {
  const wanted = WebSite.of({ metadata: { name: 'a' }, spec: { tls: { secret: 's' } } });
  assert.deepEqual(wanted, {
    apiVersion: 'example.dev/v1',
    kind: 'WebSite',
    metadata: { name: 'a' },
    spec: { tls: { secret: 's' } },
  });
  // @ts-expect-error: replicas are a number
  WebSite.of({ metadata: { name: 'a' }, spec: { replicas: '1' } });
  // @ts-expect-error: the status is not the owner's to want
  WebSite.of({ metadata: { name: 'a' }, status: { url: 'x' } });
});

test('the manifest holds names, schema, defaults, rules, columns and the status subresource', () => {
  const { metadata, spec } = WebSite.crd;
  assert.equal(metadata.name, 'websites.example.dev');
  assert.deepEqual(spec, {
    group: 'example.dev',
    scope: 'Namespaced',
    names: {
      kind: 'WebSite',
      listKind: 'WebSiteList',
      plural: 'websites',
      singular: 'website',
      shortNames: ['ws'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schemaOf(spec) },
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'URL', type: 'string', jsonPath: '.status.url' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
          {
            name: 'Ready',
            type: 'string',
            jsonPath: '.status.conditions[?(@.type=="Ready")].status',
          },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ],
  });
});

test('in the schema a field is required unless it is optional or has a default', () => {
  const text = JSON.stringify(schemaOf(WebSite.crd.spec));
  const schema = JSON.parse(text);
  assert.deepEqual(schema.required, ['spec']);
  assert.deepEqual(schema.properties.spec.required, ['html']);
  assert.deepEqual(schema.properties.spec.properties.tls.required, ['secret']);
  assert.deepEqual(schema.properties.spec.properties.replicas, {
    type: 'integer',
    format: 'int64',
    description: 'How many Pods serve it.',
    default: 1,
    minimum: 0,
  });
  assert.equal(schema.properties.status.required, undefined);
  assert.deepEqual(Object.keys(schema.properties.status.properties), [
    'observedGeneration',
    'conditions',
    'url',
  ]);
  assert.deepEqual(schema['x-kubernetes-validations'], [
    { rule: 'size(self.metadata.name) <= 40', message: 'shorten the name' },
  ]);
});

function schemaOf(spec: object): unknown {
  const { versions } = JSON.parse(JSON.stringify(spec));
  return versions[0].schema.openAPIV3Schema;
}
