/** The published conformance cases of CESQL (cloudevents/spec, cesql/cesql_tck). */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import { parse } from 'yaml';
import { type CesqlResult, compileCesql } from '../src/cesql/cesql-program.ts';
import { parseAttributes } from '../src/event/event-attributes.ts';

function findCases(): string | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, '../shared/vectors/cloudevents/cesql/cesql_tck');
    if (existsSync(path)) return path;
  }
  return undefined;
}

const cases = findCases();
const skip =
  cases === undefined ? 'no cases of CESQL in ../shared/vectors beside the repository' : false;

const codes: Readonly<Record<string, string>> = {
  parse: 'ParseError',
  math: 'MathError',
  cast: 'CastError',
  missingFunction: 'MissingFunctionError',
  functionEvaluation: 'FunctionEvaluationError',
  missingAttribute: 'MissingAttributeError',
};

test('all published cases of CESQL hold', { skip }, () => {
  assert.ok(cases !== undefined);
  const files = readdirSync(cases).filter((file) => file.endsWith('.yaml'));
  const all = files.flatMap((file) => readCases(join(cases, file)));
  assert.ok(all.length >= 250, `found ${all.length} cases`);
  for (const given of all) assertHolds(given);
});

function readCases(path: string): readonly Readonly<Record<string, unknown>>[] {
  const suite: unknown = parse(readFileSync(path, 'utf8'));
  assert.ok(isJsonObject(suite));
  const { tests } = suite;
  assert.ok(Array.isArray(tests));
  return tests.filter(isJsonObject);
}

function assertHolds(given: Readonly<Record<string, unknown>>): void {
  const { name, expression, result, error, event, eventOverrides } = given;
  const base = { specversion: '1.0', id: 'myId', source: '/source', type: 'myType' };
  const fields = isJsonObject(event) ? event : base;
  const more = isJsonObject(eventOverrides) ? eventOverrides : {};
  const attributes = parseAttributes(Object.entries({ ...fields, ...more }));
  const text = `${name}: ${expression}`;
  const evaluate = (): CesqlResult => compileCesql(String(expression)).evaluate(attributes);
  if (error === 'parse') {
    assert.throws(evaluate, { code: 'ParseError' }, text);
    return;
  }
  const { value, troubles } = evaluate();
  const expected = typeof error === 'string' ? [codes[error]] : [];
  assert.deepEqual([...new Set(troubles.map(({ code }) => code))], expected, text);
  if (result !== undefined) assert.equal(value, result, text);
}
