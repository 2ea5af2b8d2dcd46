import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CelAccessCheck, CelAuthorizer } from './cel-access.ts';
import { CelComposition } from './cel-composition.ts';

function composition(named: Readonly<Record<string, string>> = {}): CelComposition {
  const made = new CelComposition({
    variables: { object: 'dyn' },
    hasAuthorizer: true,
    hasNamed: true,
  });
  for (const [name, source] of Object.entries(named)) made.define(name, source);
  return made;
}

function evaluate(
  made: CelComposition,
  source: string,
  object: unknown = {},
): { readonly value: unknown; readonly problem: string | undefined } {
  const run = made.evaluate({ variables: { object } });
  const { value, problem } = run(made.compile(source));
  return { value, problem };
}

describe('named expressions', () => {
  it('know those before them, with their types, and no others', () => {
    const made = composition({ a: 'object.x', b: 'variables.a + 1', text: "'t'" });
    assert.deepEqual(evaluate(made, 'variables.b == 3', { x: 2 }).value, true);
    assert.equal(made.compile('variables.text').type, 'string');
    assert.throws(() => made.compile('variables.text == 1'), /no matching overload/);
    assert.throws(() => made.compile('variables.none'), /undefined field 'none'/);
    assert.match(composition().define('early', 'variables.late') ?? '', /undefined field 'late'/);
  });

  it('are evaluated once, when they are first asked for', () => {
    const made = composition({ costly: 'object.list.all(x, x > 0)', unused: 'object.none' });
    const run = made.evaluate({ variables: { object: { list: [1, 2, 3] } } });
    const expression = made.compile('variables.costly');
    const [first, second] = [run(expression), run(expression)];
    assert.equal(first.value, true);
    assert.ok(second.cost < first.cost);
  });

  it('that fail, fail whoever asks', () => {
    const made = composition({ bad: 'object.none', worse: '1 +' });
    assert.equal(evaluate(made, 'object.x == 1 || variables.bad', { x: 1 }).value, true);
    assert.equal(
      evaluate(made, 'variables.bad').problem,
      `expression 'variables.bad' resulted in error: composited variable "bad" fails to evaluate: no such key: none`,
    );
    assert.match(
      evaluate(made, 'variables.worse').problem ?? '',
      /composited variable "worse" fails to compile: ERROR: <input>:1:4: Syntax error/,
    );
  });
});

it('what has no fields has none that is asked for', () => {
  const made = composition();
  const problem = "expression 'object.x.y == 1' resulted in error: no such key: y";
  for (const x of [null, 1, 'text']) {
    assert.equal(evaluate(made, 'object.x.y == 1', { x }).problem, problem);
    assert.equal(evaluate(made, 'has(object.x.y)', { x }).value, false);
    assert.equal(evaluate(made, 'object.?x.?y.hasValue()', { x }).value, false);
  }
});

describe('authorizer', () => {
  const checks: CelAccessCheck[] = [];
  const allowing = (who: string): CelAuthorizer => ({
    decide: (check) => {
      checks.push(check);
      return { allowed: check.verb === 'get', reason: `by ${who}` };
    },
    serviceAccount: (namespace, name) => allowing(`${namespace}/${name}`),
  });
  const requestResource = {
    ...{ group: 'apps', resource: 'deployments', subresource: '', namespace: 'n', name: 'd' },
  };
  const made = composition();
  const run = made.evaluate({
    variables: { object: {} },
    authorizer: allowing('you'),
    requestResource,
  });
  const rows: readonly (readonly [string, unknown, object?])[] = [
    [
      "authorizer.group('').resource('pods').subresource('log').namespace('n').name('p').check('get').allowed()",
      true,
      {
        ...{ kind: 'resource', group: '', resource: 'pods', subresource: 'log' },
        ...{ namespace: 'n', name: 'p', verb: 'get' },
      },
    ],
    [
      "authorizer.path('/healthz').check('put').allowed()",
      false,
      { kind: 'path', path: '/healthz', verb: 'put' },
    ],
    [
      "authorizer.requestResource.check('get').allowed()",
      true,
      { kind: 'resource', ...requestResource, verb: 'get' },
    ],
    ["authorizer.serviceAccount('n', 'sa').path('/x').check('get').reason()", 'by n/sa'],
    ["authorizer.group('').resource('pods').labelSelector('a=b').check('get').errored()", false],
  ];
  for (const [source, value, check] of rows) {
    it(source, () => {
      assert.equal(run(made.compile(source)).value, value);
      if (check !== undefined) assert.deepEqual(checks.at(-1), check);
    });
  }

  const failing = [
    ["authorizer.path(' ').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
    ["authorizer.serviceAccount('N', 'a').path('/').check('get').allowed()", 'namespace'],
  ] as const;
  for (const [source, problem] of failing) {
    it(`${source} has no value`, () => {
      assert.match(run(made.compile(source)).problem ?? '', new RegExp(problem));
    });
  }

  it('is asked at most twice in one expression: each check may be a call of its own', () => {
    const check = "authorizer.path('/x').check('get').allowed()";
    assert.equal(run(made.compile(`${check} && ${check}`)).value, true);
    const problem = run(made.compile(`${check} && ${check} && ${check}`)).problem ?? '';
    assert.match(problem, /operation cancelled: actual cost limit exceeded$/);
  });

  it('is unknown where it must not be asked', () => {
    const text = /undeclared reference to 'authorizer'/;
    assert.throws(() => made.compile("authorizer.path('/')", { hasAuthorizer: false }), text);
  });
});
