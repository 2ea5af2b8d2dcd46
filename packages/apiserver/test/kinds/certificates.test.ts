import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withFields } from '../../src/object/object-form.ts';
import { KindUnderTest } from './kind-under-test.ts';

const pem = '-----BEGIN CERTIFICATE REQUEST-----\nAA==\n-----END CERTIFICATE REQUEST-----\n';
const request = Buffer.from(pem).toString('base64');
const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must " +
  "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for " +
  "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('CertificateSigningRequest', () => {
  const requests = new KindUnderTest('certificates.k8s.io/v1', 'certificatesigningrequests');
  const good = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'csr' },
    spec: { request, signerName: 'example.com/signer', usages: ['client auth'] },
  };
  requests.refuses(good, [
    [
      'spec.request',
      'aGk=',
      'spec.request: Invalid value: "aGk=": PEM block type must be CERTIFICATE REQUEST',
    ],
    ['spec.usages', [], 'spec.usages: Required value'],
    ['spec.usages', ['any', 'any'], 'spec.usages[1]: Duplicate value: "any"'],
    ['spec.signerName', undefined, 'spec.signerName: Required value'],
    ['spec.signerName', 'x', `spec.signerName: Invalid value: "x": ${form}`],
    ['spec.signerName', 'a.b/c/d', `spec.signerName: Invalid value: "a.b/c/d": ${form}`],
    [
      'spec.signerName',
      'a/c',
      'spec.signerName: Invalid value: "a": should be a domain with at least two segments separated by dots',
    ],
    [
      'spec.signerName',
      'A.b/c',
      `spec.signerName: Invalid value: "A.b": validating label "A": ${label}`,
    ],
    [
      'spec.signerName',
      'kubernetes.io/legacy-unknown',
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
    [
      'spec.expirationSeconds',
      599,
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  ]);

  it('refuses unknown usages, and names the known ones', () => {
    const spec = { ...good.spec, usages: ['breathing'] };
    const [refusal = ''] = requests.refusals(requests.create({ ...good, spec }));
    assert.match(
      refusal,
      /^spec\.usages\[0\]: Unsupported value: "breathing": .*"any", .*"signing"/,
    );
  });

  const settled = (...conditions: readonly object[]): readonly string[] => {
    const old = requests.create(good);
    return requests.refusals(withFields(old, { status: { conditions } }), old, 'approval');
  };

  it('refuses conditions that decide nothing', () => {
    assert.deepEqual(settled({ type: 'Approved', status: 'False' }), [
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    ]);
    assert.deepEqual(settled({ type: '', status: '' }), [
      'status.conditions[0].type: Required value',
      'status.conditions[0].status: Required value',
    ]);
    assert.deepEqual(settled({ type: 'Mine', status: 'Maybe' }), [
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    ]);
    const twice = { type: 'Denied', status: 'True' };
    assert.deepEqual(settled(twice, twice), [
      'status.conditions[1].type: Duplicate value: "Denied"',
    ]);
  });

  it('shows what kubectl shows', () => {
    const spec = { ...good.spec, expirationSeconds: 7200 };
    const made = requests.create({ ...good, spec });
    const names = ['Name', 'Age', 'SignerName', 'Requestor', 'RequestedDuration', 'Condition'];
    assert.deepEqual(requests.columns(), [names, []]);
    assert.deepEqual(Object.values(requests.cells(made)), [
      'csr',
      '60m',
      'example.com/signer',
      'jane',
      '120m',
      'Pending',
    ]);
    const cell = (status: object): unknown =>
      requests.cells(withFields(made, { status })).Condition;
    const conditions = [{ type: 'Approved' }, { type: 'Failed' }];
    assert.equal(cell({ conditions, certificate: 'aGk=' }), 'Approved,Failed,Issued');
    assert.equal(cell({ conditions: [{ type: 'Denied' }] }), 'Denied');
    assert.equal(requests.cells(requests.create(good)).RequestedDuration, '<none>');
  });
});
