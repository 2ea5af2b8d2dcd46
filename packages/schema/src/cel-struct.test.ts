import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CelComposition, type ComposedResult } from './cel-composition.ts';

function composition(): CelComposition {
  return new CelComposition({ variables: { object: 'dyn' } });
}

function typeOf(source: string): string {
  return composition().compile(source, { hasPatchTypes: true }).type;
}

function run(source: string, object: unknown = {}): ComposedResult {
  const composed = composition();
  const compiled = composed.compile(source, { hasPatchTypes: true });
  return composed.evaluate({ variables: { object } })(compiled);
}

describe('a struct literal', () => {
  const types = [
    ['Object{}', 'Object'],
    ['Object{spec: Object.spec{replicas: 3}}', 'Object'],
    ['Object.spec.template{}', 'Object.spec.template'],
    ['[JSONPatch{op: "add", path: "/a", value: 1}]', 'list(JSONPatch)'],
    ['object.on ? [JSONPatch{op: "remove", path: "/a"}] : []', 'list(JSONPatch)'],
    ['object.on ? [] : [JSONPatch{op: "remove", path: "/a"}]', 'list(JSONPatch)'],
    ['object.all.map(x, JSONPatch{op: "remove", path: x})', 'list(JSONPatch)'],
    ['[JSONPatch{}] + object.all.map(x, JSONPatch{path: x})', 'list(JSONPatch)'],
    ['JSONPatch{}.op', 'string'],
    ['Object{a: 1}.a', 'dyn'],
    ['jsonpatch.escapeKey("a")', 'string'],
  ] as const;
  for (const [source, type] of types) {
    it(`has the type ${type} as ${source}`, () => assert.equal(typeOf(source), type));
  }

  const values = [
    ['Object{spec: Object.spec{replicas: object.n + 1}}', { spec: { replicas: 3 } }],
    [
      'Object{metadata: Object.metadata{labels: {"a": "b"},},}',
      { metadata: { labels: { a: 'b' } } },
    ],
    ['Object{?a: optional.none(), ?b: object.?n}', { b: 2 }],
    ['Object{?a: object.?missing.b}', {}],
    ['Object{a: [Object.a{b: 1}, Object.a{b: 2}]}', { a: [{ b: 1 }, { b: 2 }] }],
    [
      'JSONPatch{op: "add", path: "/" + jsonpatch.escapeKey("a/b~c")}',
      { op: 'add', path: '/a~1b~0c' },
    ],
    [
      '[JSONPatch{op: "add", path: "/a", value: Object.spec{b: 1}}]',
      [{ op: 'add', path: '/a', value: { b: 1 } }],
    ],
    ['Object{a: 1} == Object{a: 1}', true],
    ['Object{a: 1} == Object{a: 2}', false],
    ['has(Object{a: 1}.a) && !has(Object{a: 1}.b)', true],
    ['Object{}.?a.orValue(7)', 7],
  ] as const;
  for (const [source, value] of values) {
    it(`is ${JSON.stringify(value)} as ${source}`, () => {
      assert.deepEqual(run(source, { n: 2 }).value, value);
    });
  }

  const refusals = [
    ['Invalid{}', "undeclared reference to 'Invalid' (in container '')"],
    ['JSONPatch{op: 1}', "expected type of field 'op' is 'string' but provided type is 'int'"],
    ['JSONPatch{ops: "add"}', "undefined field 'ops'"],
    ['Object{a: Objects.a{}}', "undeclared reference to 'Objects.a' (in container '')"],
    ['Object{?a: 1}', "expected type 'optional_type(int)' but found 'int'"],
    ['Object{a 1}', "Syntax error: mismatched input '1' expecting ':'"],
    ['Object{a: 1', "Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
    ['[Object{}, JSONPatch{}]', "expected type 'Object' but found 'JSONPatch'"],
  ] as const;
  for (const [source, text] of refusals) {
    it(`is refused as ${source}`, () => {
      assert.throws(
        () => typeOf(source),
        (error: Error) => error.message.includes(text),
      );
    });
  }

  it('shows where a field has the wrong type, as cel-go does', () => {
    const lines = [
      "ERROR: <input>:1:13: expected type of field 'op' is 'string' but provided type is 'int'",
      ' | JSONPatch{op: 1}',
      ' | ............^',
    ];
    assert.throws(() => typeOf('JSONPatch{op: 1}'), { message: lines.join('\n') });
  });

  it('is known to mutations only', () => {
    const text = "undeclared reference to 'Object' (in container '')";
    assert.throws(
      () => composition().compile('Object{}'),
      (error: Error) => {
        return error.message.includes(text);
      },
    );
    assert.throws(() => composition().compile('jsonpatch.escapeKey("a")'));
    const named = new CelComposition({ variables: {}, hasNamed: true });
    assert.match(named.define('a', 'Object{}') ?? '', /undeclared reference to 'Object'/);
  });

  const misnamed = [
    ['Object{spec: Object.wrong{}}', 'Object.wrong', 'Object.spec'],
    ['Object{spec: Object.spec{a: [Object.spec.b{}]}}', 'Object.spec.b', 'Object.spec.a'],
    ['[JSONPatch{value: Object.spec{a: Object.a{}}}]', 'Object.a', 'Object.spec.a'],
  ] as const;
  for (const [source, found, expected] of misnamed) {
    it(`has no value where a type is not that of its field: ${source}`, () => {
      const names = `"${found}", expected "${expected}"`;
      const why = 'which matches field name path from root Object type';
      const problem = `type mismatch: unexpected type name ${names}, ${why}`;
      assert.deepEqual(run(source), { value: undefined, problem, cost: run(source).cost });
    });
  }

  it('has no value where a field that is a text gets something else', () => {
    const { problem } = run('[JSONPatch{op: object.n}]', { n: 1 });
    assert.match(problem ?? '', /unexpected type int64 for JSONPatchType 'op' field/);
  });
});
