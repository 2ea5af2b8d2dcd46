import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at } from '../at.ts';
import { type Answer, type OpenedServer, openServer } from '../opened-server.ts';

// The texts are those of Kubernetes 1.36.3's sources (apis/admissionregistration/validation).

const api = 'admissionregistration.k8s.io/v1';
const operations = ['CREATE'];
const rule = { apiGroups: [''], apiVersions: ['v1'], operations, resources: ['pods'] };
const mutation = {
  ...{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } },
};
const good = {
  matchConstraints: { resourceRules: [rule] },
  mutations: [mutation],
  reinvocationPolicy: 'Never',
};

function createPolicy({ ask }: OpenedServer, spec: object): Promise<Answer> {
  const head = { apiVersion: api, kind: 'MutatingAdmissionPolicy', metadata: { name: 'p' } };
  return ask('POST', `/apis/${api}/mutatingadmissionpolicies`, { body: { ...head, spec } });
}

function createBinding({ ask }: OpenedServer, spec: object): Promise<Answer> {
  const head = { apiVersion: api, kind: 'MutatingAdmissionPolicyBinding' };
  const body = { ...head, metadata: { name: 'b' }, spec };
  return ask('POST', `/apis/${api}/mutatingadmissionpolicybindings`, { body });
}

/** What is wrong, as `field: message`. */
function causes({ body }: Answer): readonly string[] {
  const found = at(body, '/details/causes');
  assert.ok(Array.isArray(found), JSON.stringify(body));
  return found.map((_, index) => {
    const [field, message] = ['field', 'message'].map((one) =>
      at(body, `/details/causes/${index}/${one}`),
    );
    return `${field}: ${message}`;
  });
}

const patchOf = (expression: string): object => ({
  mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
});
const applyOf = (expression: string): object => ({
  mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
});

describe('a MutatingAdmissionPolicy', () => {
  it('gets defaults, and is shown with what it does', async () => {
    await using server = await openServer();
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const { status, body } = await createPolicy(server, { ...good, paramKind });
    assert.equal(status, 201);
    assert.equal(at(body, '/spec/failurePolicy'), 'Fail');
    assert.deepEqual(at(body, '/spec/matchConstraints'), {
      ...{ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
      resourceRules: [{ ...rule, scope: '*' }],
    });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const path = `/apis/${api}/mutatingadmissionpolicies/p`;
    const table = await server.ask('GET', path, { headers: { accept } });
    const cells = at(table.body, '/rows/0/cells');
    assert.ok(Array.isArray(cells));
    assert.deepEqual(cells.slice(0, 3), ['p', 1, 'v1/ConfigMap']);
  });

  it('needs rules, mutations and a reinvocationPolicy', async () => {
    await using server = await openServer();
    assert.deepEqual(causes(await createPolicy(server, {})), [
      'spec.matchConstraints: Required value',
      'spec.mutations: Required value: mutations must contain at least one item',
      'spec.reinvocationPolicy: Required value',
    ]);
  });

  const undeclared = (name: string, source: string, column: number): string => {
    const mark = '.'.repeat(column - 1);
    const where = `ERROR: <input>:1:${column}`;
    return `${where}: undeclared reference to '${name}' (in container '')\n | ${source}\n | ${mark}^`;
  };
  const at0 = 'spec.mutations[0]';
  const rows: readonly (readonly [string, object, readonly string[]])[] = [
    [
      'operations that leave nothing to change',
      { matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'DELETE'] }] } },
      [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
    ],
    [
      'an unknown reinvocationPolicy',
      { reinvocationPolicy: 'Always' },
      [
        'spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
      ],
    ],
    [
      'an unknown patchType, and none',
      { mutations: [{ patchType: 'Merge' }, {}] },
      [
        `${at0}.patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"`,
        'spec.mutations[1].patchType: Required value',
      ],
    ],
    [
      'a patch of another type than it says',
      { mutations: [{ patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } }] },
      [
        `${at0}.jsonPatch: Required value: must be specified when patchType is JSONPatch`,
        `${at0}.applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch`,
      ],
    ],
    ['an empty expression', applyOf(' '), [`${at0}.applyConfiguration.expression: Required value`]],
    [
      'an expression that constructs something else',
      applyOf(' Object.spec{} '),
      [
        `${at0}.applyConfiguration.expression: Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec`,
      ],
    ],
    [
      'a patch that constructs something else',
      patchOf('[]'),
      [
        `${at0}.jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)`,
      ],
    ],
    [
      'an expression that cannot be compiled',
      patchOf('[Invalid{}]'),
      [
        `${at0}.jsonPatch.expression: Invalid value: "[Invalid{}]": compilation failed: ${undeclared('Invalid', '[Invalid{}]', 9)}`,
      ],
    ],
    [
      'params that are not declared',
      applyOf('Object{spec: params}'),
      [
        `${at0}.applyConfiguration.expression: Invalid value: "Object{spec: params}": compilation failed: ${undeclared('params', 'Object{spec: params}', 14)}`,
      ],
    ],
    [
      'a variable that constructs a patch',
      { variables: [{ name: 'v', expression: 'Object{}' }] },
      [
        `spec.variables[0].expression: Invalid value: "Object{}": compilation failed: ${undeclared('Object', 'Object{}', 7)}`,
      ],
    ],
    [
      'a condition that asks for variables',
      {
        variables: [{ name: 'v', expression: 'true' }],
        matchConditions: [{ name: 'c', expression: 'variables.v' }],
      },
      [
        `spec.matchConditions[0].expression: Invalid value: "variables.v": compilation failed: ${undeclared('variables', 'variables.v', 1)}`,
      ],
    ],
  ];
  for (const [what, spec, texts] of rows) {
    it(`is refused with ${what}`, async () => {
      await using server = await openServer();
      const answer = await createPolicy(server, { ...good, ...spec });
      assert.equal(answer.status, 422);
      assert.deepEqual(causes(answer), texts);
    });
  }

  it('may use variables and params in its mutations', async () => {
    await using server = await openServer();
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [{ name: 'v', expression: 'params.data.a' }],
      ...applyOf('Object{metadata: Object.metadata{labels: {"a": variables.v}}}'),
    };
    assert.equal((await createPolicy(server, { ...good, ...spec })).status, 201);
  });
});

describe('a MutatingAdmissionPolicyBinding', () => {
  const rows: readonly (readonly [object, readonly string[]])[] = [
    [{}, ['spec.policyName: Required value']],
    [
      { policyName: 'P' },
      [
        "spec.policyName: Invalid value: \"P\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
    [
      { policyName: 'p', paramRef: {} },
      [
        'spec.paramRef: Required value: one of name or selector must be specified',
        'spec.paramRef.parameterNotFoundAction: Required value',
      ],
    ],
    [
      {
        policyName: 'p',
        matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] },
      },
      [
        'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
    ],
  ];
  for (const [spec, texts] of rows) {
    it(`is refused as ${JSON.stringify(spec)}`, async () => {
      await using server = await openServer();
      const answer = await createBinding(server, spec);
      assert.equal(answer.status, 422);
      assert.deepEqual(causes(answer), texts);
    });
  }
});
