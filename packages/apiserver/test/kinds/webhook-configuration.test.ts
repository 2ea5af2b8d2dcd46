import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at } from '../at.ts';
import { KindUnderTest } from './kind-under-test.ts';

const api = 'admissionregistration.k8s.io/v1';

describe('ValidatingWebhookConfiguration', () => {
  const kind = new KindUnderTest(api, 'validatingwebhookconfigurations');
  const good = {
    apiVersion: api,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'w' },
    webhooks: [
      {
        name: 'a.example.dev',
        clientConfig: { url: 'https://hooks.test/a' },
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1', 'v1beta1'],
        matchConditions: [{ name: 'small', expression: 'object.spec.size < 3' }],
      },
    ],
  };
  const [only] = good.webhooks;
  const first = 'webhooks[0]';
  const client = `${first}.clientConfig`;
  const supported = 'Unsupported value: "Often": supported values:';
  kind.refuses(good, [
    ['webhooks', []],
    [
      `${first}.name`,
      'short',
      `${first}.name: Invalid value: "short": should be a domain with at least three segments separated by dots`,
    ],
    ['webhooks', [only, only], 'webhooks[1].name: Duplicate value: "a.example.dev"'],
    [client, {}, `${client}: Required value: exactly one of url or service is required`],
    [
      `${client}.service`,
      { namespace: 'n', name: 's' },
      `${client}: Required value: exactly one of url or service is required`,
    ],
    [
      `${client}.url`,
      'http://hooks.test',
      `${client}.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ],
    [
      `${client}.url`,
      'https://hooks.test/?a#b',
      `${client}.url: Invalid value: "b": fragments are not permitted in the URL`,
      `${client}.url: Invalid value: "a": query parameters are not permitted in the URL`,
    ],
    [
      client,
      { service: { name: 's', path: 'p' } },
      `${client}.service.namespace: Required value: service namespace is required`,
      `${client}.service.path: Invalid value: "p": must start with a '/'`,
    ],
    [
      `${first}.rules[0].operations`,
      ['*', 'CREATE'],
      `${first}.rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
    ],
    [`${first}.rules[0].resources`, [], `${first}.rules[0].resources: Required value`],
    [`${first}.failurePolicy`, 'Often', `${first}.failurePolicy: ${supported} "Fail", "Ignore"`],
    [
      `${first}.sideEffects`,
      undefined,
      `${first}.sideEffects: Required value: must specify one of None, NoneOnDryRun`,
    ],
    [
      `${first}.timeoutSeconds`,
      31,
      `${first}.timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds`,
    ],
    [
      `${first}.admissionReviewVersions`,
      ['v2'],
      `${first}.admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1`,
    ],
    [
      `${first}.admissionReviewVersions`,
      ['v1beta1'],
      `${first}.admissionReviewVersions: Forbidden: this API server sends reviews of v1 only`,
    ],
    [
      `${first}.matchConditions[0].expression`,
      '"text"',
      `${first}.matchConditions[0].expression: Invalid value: "\\"text\\"": must evaluate to bool but got string`,
    ],
  ]);

  it('has the defaults of a server', () => {
    const { webhooks } = kind.complete(good);
    assert.equal(at(webhooks, '/0/failurePolicy'), 'Fail');
    assert.equal(at(webhooks, '/0/matchPolicy'), 'Equivalent');
    assert.equal(at(webhooks, '/0/timeoutSeconds'), 10);
    assert.deepEqual(at(webhooks, '/0/namespaceSelector'), {});
    assert.equal(at(webhooks, '/0/rules/0/scope'), '*');
    assert.equal(at(webhooks, '/0/reinvocationPolicy'), undefined);
  });
});
