import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { builtinStrategies } from '../builtins/builtin-strategies.ts';
import { Catalog } from './catalog.ts';
import { createResource } from './resource.ts';

describe('Catalog', () => {
  const filled = (): Catalog => {
    const catalog = new Catalog();
    for (const strategy of builtinStrategies) catalog.add(createResource(strategy));
    return catalog;
  };

  it('finds by plural', () => {
    assert.equal(filled().find('', 'v1', 'pods')?.strategy.type.kind, 'Pod');
    assert.equal(filled().find('', 'v2', 'pods'), undefined);
  });

  it('lists a kind with two views once, and questions never', () => {
    const plurals = filled()
      .storedKinds()
      .map(({ strategy }) => strategy.type.plural);
    assert.equal(plurals.filter((plural) => plural === 'events').length, 1);
    assert.equal(plurals.includes('selfsubjectreviews'), false);
  });

  it('prefers groups of definitions by their names, whichever came or changed first', () => {
    const defined = (group: string, version: string) => {
      const [strategy = assert.fail()] = builtinStrategies;
      const type = { ...strategy.type, group, version, plural: 'functions', kind: 'Function' };
      return createResource({ ...strategy, type });
    };
    const all = [
      defined('kubeless.io', 'v1beta1'),
      defined('serverless.kyma-project.io', 'v1alpha2'),
      defined('fnlet.dev', 'v1alpha1'),
    ];
    const catalog = filled();
    const builtin = catalog.groups();
    for (const resource of all) catalog.addDefined(resource);
    const order = [...builtin, 'fnlet.dev', 'serverless.kyma-project.io', 'kubeless.io'];
    assert.deepEqual(catalog.groups(), order);
    catalog.remove('fnlet.dev', 'functions');
    assert.deepEqual(catalog.groups(), [...builtin, ...order.slice(-2)]);
    catalog.addDefined(defined('fnlet.dev', 'v1alpha1'));
    assert.deepEqual(catalog.groups(), order);
  });

  it('forgets a group with its last resource', () => {
    const catalog = filled();
    const { generation } = catalog;
    catalog.remove('coordination.k8s.io', 'leases');
    assert.equal(catalog.groups().includes('coordination.k8s.io'), false);
    assert.ok(catalog.generation > generation);
  });
});
