import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusError } from '@fnlet/machinery';
import { builtinStrategies } from '../builtins/builtin-strategies.ts';
import { Catalog } from '../resource/catalog.ts';
import { createResource, type Resource } from '../resource/resource.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import { matchRequest } from './match-request.ts';
import { parseWebhooks, type Webhook } from './webhook.ts';

const catalog = new Catalog();
for (const strategy of builtinStrategies) catalog.add(createResource(strategy));

function find(group: string, version: string, plural: string): Resource {
  const resource = catalog.find(group, version, plural);
  assert(resource !== undefined);
  return resource;
}

const pods = find('', 'v1', 'pods');
const nodes = find('', 'v1', 'nodes');
const namespaces = find('', 'v1', 'namespaces');
const v1 = find('autoscaling', 'v1', 'horizontalpodautoscalers');
const v2 = find('autoscaling', 'v2', 'horizontalpodautoscalers');

function webhook(rule: object, rest: object = {}): Webhook {
  const all = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] };
  const [parsed] = parseWebhooks({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'w' },
    webhooks: [{ name: 'w.example.dev', rules: [{ ...all, ...rule }], ...rest }],
  });
  assert(parsed !== undefined);
  return parsed;
}

function attributes(resource: Resource, given: Partial<AdmissionAttributes>): AdmissionAttributes {
  const { apiVersion, strategy } = resource;
  const object = { apiVersion, kind: strategy.type.kind, metadata: { name: 'x' } };
  return {
    ...{ operation: 'CREATE', resource, subresource: '', name: 'x', object, oldObject: undefined },
    namespace: strategy.type.namespaced ? 'home' : '',
    ...{ user: { name: 'u', groups: [] }, dryRun: false, options: {}, warn: () => {} },
    ...given,
  };
}

const world = {
  labelsOfNamespace: (name: string) => {
    if (name === 'home') return { team: 'a' };
    throw statusError('NotFound', `namespaces "${name}" not found`);
  },
  equivalents: (resource: Resource) => [v1, v2].filter((one) => one !== resource),
};

function labelled(resource: Resource, labels: Readonly<Record<string, string>>) {
  const { apiVersion, strategy } = resource;
  return { apiVersion, kind: strategy.type.kind, metadata: { name: 'x', labels } };
}

const selector = { matchLabels: { team: 'a' } };
const other = { matchLabels: { team: 'b' } };

const rows: readonly (readonly [string, Webhook, AdmissionAttributes, boolean])[] = [
  ['everything', webhook({}), attributes(pods, {}), true],
  ['no subresource by *', webhook({}), attributes(pods, { subresource: 'status' }), false],
  [
    'all by */*',
    webhook({ resources: ['*/*'] }),
    attributes(pods, { subresource: 'status' }),
    true,
  ],
  ['all of one by pods/*', webhook({ resources: ['pods/*'] }), attributes(pods, {}), true],
  [
    'one subresource of all',
    webhook({ resources: ['*/scale'] }),
    attributes(pods, { subresource: 'scale' }),
    true,
  ],
  ['another resource', webhook({ resources: ['secrets'] }), attributes(pods, {}), false],
  ['another group', webhook({ apiGroups: ['apps'] }), attributes(pods, {}), false],
  ['another version', webhook({ apiVersions: ['v9'] }), attributes(pods, {}), false],
  ['another operation', webhook({ operations: ['DELETE'] }), attributes(pods, {}), false],
  ['namespaced, of a Pod', webhook({ scope: 'Namespaced' }), attributes(pods, {}), true],
  ['namespaced, of a Node', webhook({ scope: 'Namespaced' }), attributes(nodes, {}), false],
  ['cluster, of a Pod', webhook({ scope: 'Cluster' }), attributes(pods, {}), false],
  [
    'cluster, of a Namespace',
    webhook({ scope: 'Cluster' }),
    attributes(namespaces, { namespace: 'home' }),
    true,
  ],
  [
    'a Namespace that fits',
    webhook({}, { namespaceSelector: selector }),
    attributes(pods, {}),
    true,
  ],
  [
    'a Namespace that does not',
    webhook({}, { namespaceSelector: other }),
    attributes(pods, {}),
    false,
  ],
  ['no Namespace at all', webhook({}, { namespaceSelector: other }), attributes(nodes, {}), true],
  [
    'a Namespace by the labels that it gets',
    webhook({}, { namespaceSelector: other }),
    attributes(namespaces, { object: labelled(namespaces, { team: 'b' }), namespace: 'home' }),
    true,
  ],
  [
    'a Namespace that goes, by the labels that it has',
    webhook({}, { namespaceSelector: selector }),
    attributes(namespaces, { operation: 'DELETE', object: undefined, namespace: 'home' }),
    true,
  ],
  [
    'an object without labels',
    webhook({}, { objectSelector: selector }),
    attributes(pods, {}),
    false,
  ],
  [
    'an object by what it was',
    webhook({}, { objectSelector: selector }),
    attributes(pods, { operation: 'UPDATE', oldObject: labelled(pods, { team: 'a' }) }),
    true,
  ],
  [
    'an object by what it becomes',
    webhook({}, { objectSelector: selector }),
    attributes(pods, { object: labelled(pods, { team: 'a' }) }),
    true,
  ],
  [
    'another version, exactly',
    webhook({ apiGroups: ['autoscaling'], apiVersions: ['v1'] }, { matchPolicy: 'Exact' }),
    attributes(v2, {}),
    false,
  ],
];

describe('matchRequest()', () => {
  for (const [what, one, asked, expected] of rows) {
    it(`${expected ? 'matches' : 'leaves out'} ${what}`, () => {
      assert.equal(matchRequest(one, asked, world) !== undefined, expected);
    });
  }

  it('sees an object in the version that the rules name', () => {
    const one = webhook({ apiGroups: ['autoscaling'], apiVersions: ['v1'] });
    assert.equal(matchRequest(one, attributes(v2, {}), world), v1);
    assert.equal(matchRequest(one, attributes(v1, {}), world), v1);
  });

  it('fails a request in a Namespace that is not there only when it is for it', () => {
    const namespaceSelector = selector;
    const asked = attributes(pods, { namespace: 'nowhere' });
    const secrets = webhook({ resources: ['secrets'] }, { namespaceSelector });
    assert.equal(matchRequest(secrets, asked, world), undefined);
    const all = webhook({}, { namespaceSelector });
    assert.throws(() => matchRequest(all, asked, world), { code: 'NotFound' });
  });
});
