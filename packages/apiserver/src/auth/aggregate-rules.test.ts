import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLabelSelector } from '@fnlet/machinery';
import { aggregateRules, aggregationSelectors } from './aggregate-rules.ts';
import { type PolicyRule, parsePolicyRules } from './policy-rule.ts';

function rules(...resources: readonly string[]): readonly PolicyRule[] {
  return parsePolicyRules(
    resources.map((resource) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] })),
  );
}

const role = (name: string, labels: Record<string, string>, ...resources: string[]) => ({
  name,
  labels,
  rules: rules(...resources),
});

const gathered = (selectors: readonly string[], roles: readonly ReturnType<typeof role>[]) =>
  aggregateRules('sum', selectors.map(parseLabelSelector), roles).flatMap(
    ({ resources }) => resources,
  );

describe('aggregateRules()', () => {
  it('gathers the rules of the selected roles by name, each once', () => {
    const roles = [
      role('b', { in: 'yes' }, 'pods', 'nodes'),
      role('a', { in: 'yes' }, 'secrets', 'pods'),
      role('c', { in: 'no' }, 'events'),
    ];
    assert.deepEqual(gathered(['in=yes'], roles), ['secrets', 'pods', 'nodes']);
  });

  it('goes by every selector, and leaves out the role itself', () => {
    const roles = [role('sum', { in: 'yes' }, 'all'), role('a', { x: '1' }, 'pods')];
    assert.deepEqual(gathered(['in=yes', 'x'], roles), ['pods']);
    assert.deepEqual(gathered([], roles), []);
  });
});

describe('aggregationSelectors()', () => {
  it('are there where a role gathers', () => {
    assert.equal(aggregationSelectors({ rules: [] }), undefined);
    assert.deepEqual(aggregationSelectors({ aggregationRule: {} }), []);
    const clusterRoleSelectors = [{ matchLabels: { a: 'b' } }];
    const [selector] = aggregationSelectors({ aggregationRule: { clusterRoleSelectors } }) ?? [];
    assert.deepEqual(selector?.requirements, [{ key: 'a', operator: '=', values: ['b'] }]);
  });

  it('leave out what selects nothing that can be said', () => {
    const broken = { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] };
    const clusterRoleSelectors = [broken, 'text'];
    assert.deepEqual(aggregationSelectors({ aggregationRule: { clusterRoleSelectors } }), []);
  });
});
