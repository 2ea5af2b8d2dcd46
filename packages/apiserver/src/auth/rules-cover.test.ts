import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ResourceAttributes } from './access-attributes.ts';
import { type PolicyRule, parsePolicyRules, ruleAllows } from './policy-rule.ts';
import { escalationText, uncoveredRules } from './rules-cover.ts';

const jane = { name: 'jane', groups: ['devs', 'system:authenticated'] };

/** `verbs groups resources names`, each a list with commas; `core` is the core group. */
function rule(text: string): PolicyRule {
  const [verbs = [], groups = [], resources = [], resourceNames = []] = text
    .split(' ')
    .map((part) => part.split(','));
  const apiGroups = groups.map((group) => (group === 'core' ? '' : group));
  return { verbs, apiGroups, resources, resourceNames, nonResourceURLs: [] };
}

const cases: readonly (readonly [owned: string[], wished: string, covered: boolean])[] = [
  [['get core pods'], 'get core pods', true],
  [['get,list core pods'], 'get core pods', true],
  [['get core pods', 'list core pods'], 'get,list core pods', true],
  [['get core pods'], 'get,list core pods', false],
  [['get core pods'], '* core pods', false],
  [['* core pods'], 'get core pods', true],
  [['get * pods'], 'get apps pods', true],
  [['get core pods'], 'get * pods', false],
  [['get core *'], 'get core pods/log', true],
  [['get core pods'], 'get core pods/log', false],
  [['get core */log'], 'get core pods/log', true],
  [['get core */log'], 'get core pods', false],
  [['get core pods a'], 'get core pods a', true],
  [['get core pods a'], 'get core pods b', false],
  [['get core pods a'], 'get core pods', false],
  [['get core pods'], 'get core pods a', true],
  [['get core pods a', 'get core pods b'], 'get core pods a,b', true],
  [[], 'get core pods', false],
];

describe('uncoveredRules()', () => {
  for (const [owned, wished, covered] of cases) {
    it(`${owned.join(' and ') || 'nothing'} ${covered ? 'covers' : 'does not cover'} ${wished}`, () => {
      const missing = uncoveredRules(owned.map(rule), [rule(wished)]);
      assert.equal(missing.length === 0, covered);
    });
  }

  it('covers paths by their beginnings', () => {
    const paths = (url: string): PolicyRule[] => [
      ...parsePolicyRules([{ verbs: ['get'], nonResourceURLs: [url] }]),
    ];
    assert.equal(uncoveredRules(paths('/apis/*'), paths('/apis/apps')).length, 0);
    assert.equal(uncoveredRules(paths('*'), paths('/apis/*')).length, 0);
    assert.equal(uncoveredRules(paths('/apis/apps'), paths('/apis/*')).length, 1);
    assert.equal(uncoveredRules([rule('* * *')], paths('/metrics')).length, 1);
  });

  it('lets nothing through that the owner may not do', () => {
    const values = (...pool: string[]): fc.Arbitrary<string[]> =>
      fc.subarray(pool, { minLength: 1 });
    const anyRule = fc.record({
      verbs: values('get', 'list', '*'),
      apiGroups: values('', 'apps', '*'),
      resources: values('pods', 'pods/log', '*/log', '*'),
      resourceNames: fc.subarray(['a', 'b']),
      nonResourceURLs: fc.constant([]),
    });
    const rules = fc.array(anyRule, { maxLength: 3 });
    const asked = fc.record({
      verb: fc.constantFrom('get', 'list', 'delete'),
      group: fc.constantFrom('', 'apps', 'batch'),
      resource: fc.constantFrom('pods', 'jobs'),
      subresource: fc.constantFrom('', 'log'),
      name: fc.constantFrom('', 'a', 'c'),
    });
    const property = fc.property(rules, rules, asked, (owned, wished, target) => {
      fc.pre(uncoveredRules(owned, wished).length === 0);
      const base = { kind: 'resource', user: jane, version: 'v1', namespace: 't' } as const;
      const attributes: ResourceAttributes = { ...base, ...target };
      const allows = (given: readonly PolicyRule[]): boolean =>
        given.some((one) => ruleAllows(one, attributes));
      assert(!allows(wished) || allows(owned));
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('escalationText()', () => {
  it("lists what is missing in Kubernetes' words, one resource a line", () => {
    const missing = uncoveredRules([], [rule('get,list core pods'), rule('* apps deployments d')]);
    assert.equal(
      escalationText(jane, missing, []),
      'user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC ' +
        'permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}\n' +
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["d"], Verbs:["*"]}',
    );
  });

  it('adds what could not be resolved', () => {
    const text = escalationText(jane, [rule('get core pods')], ['x not found']);
    assert.match(text, /; resolution errors: \[x not found\]$/);
  });
});
