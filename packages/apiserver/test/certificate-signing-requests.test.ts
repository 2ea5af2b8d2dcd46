import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import type { User } from '../src/index.ts';
import { at, objectAt } from './at.ts';
import { certificationRequestText } from './certification-request-text.ts';
import { grant, refused } from './granted-access.ts';
import { type Answer, type OpenedServer, openServer } from './opened-server.ts';

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const signerName = 'example.com/signer';
const jane: User = {
  name: 'jane',
  uid: 'jane-uid',
  groups: ['devs', 'system:authenticated'],
  extra: { scopes: ['all'] },
};
const all = { verbs: ['*'], apiGroups: ['certificates.k8s.io'] };
const useRequests = {
  ...all,
  resources: ['', '/status', '/approval'].map((part) => `certificatesigningrequests${part}`),
};
const good = await certificationRequestText('CN=jane,O=devs');

async function make(server: OpenedServer, spec: object = {}): Promise<Answer> {
  await grant(server, { user: 'jane' }, [useRequests]);
  const body = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'csr' },
    spec: { request: good, signerName, usages: ['client auth'], ...spec },
  };
  return server.ask('POST', requests, { body, user: jane });
}

/** Puts conditions, or anything else, in a part of the request's status. */
async function put(
  server: OpenedServer,
  part: 'status' | 'approval',
  { status, user }: { readonly status: object; readonly user?: User },
): Promise<Answer> {
  const { body } = await server.ask('GET', `${requests}/csr`);
  assert.ok(isJsonObject(body));
  const asked = { body: { ...body, status } };
  return server.ask(
    'PUT',
    `${requests}/csr/${part}`,
    user === undefined ? asked : { ...asked, user },
  );
}

const condition = (type: string): object => ({ type, status: 'True', reason: 'Test' });
const certificate = Buffer.from('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n');

describe('a CertificateSigningRequest', () => {
  it('says who asked, whatever the asker says', async () => {
    await using server = await openServer();
    const lie = { username: 'root', uid: '0', groups: ['system:masters'], extra: { a: ['b'] } };
    const { status, body, headers } = await make(server, lie);
    assert.equal(status, 201, JSON.stringify(body));
    const { username, uid, groups, extra } = objectAt(body, '/spec');
    assert.deepEqual({ name: username, uid, groups, extra }, jane);
    assert.match(headers.warning ?? '', /nothing signs certificates here/);
  });

  it('never changes what it asks for', async () => {
    await using server = await openServer();
    const { body: made } = await make(server);
    assert.ok(isJsonObject(made));
    const spec = { ...objectAt(made, '/spec'), username: 'root', usages: ['any'] };
    const changed = { ...made, spec, status: { conditions: [condition('Approved')] } };
    const { status, body } = await server.ask('PUT', `${requests}/csr`, { body: changed });
    assert.equal(status, 200);
    assert.deepEqual(objectAt(body, '/spec'), objectAt(made, '/spec'));
    assert.deepEqual(at(body, '/status'), {});
  });

  it('is approved through its own subresource, once and for all', async () => {
    await using server = await openServer();
    await make(server);
    const status = { conditions: [condition('Approved')], certificate: 'aGVsbG8=' };
    const { status: code, body } = await put(server, 'approval', { status });
    assert.equal(code, 200, JSON.stringify(body));
    assert.equal(at(body, '/status/certificate'), undefined);
    assert.match(String(at(body, '/status/conditions/0/lastUpdateTime')), /Z$/);
    assert.match(String(at(body, '/status/conditions/0/lastTransitionTime')), /Z$/);
    const both = { conditions: [condition('Approved'), condition('Denied')] };
    const torn = await put(server, 'approval', { status: both });
    assert.match(String(at(torn.body, '/message')), /Approved and Denied conditions are mutually/);
    const none = await put(server, 'approval', { status: {} });
    const text = 'updates may not remove a condition of type \\"Approved\\"';
    assert.match(JSON.stringify(none.body), new RegExp(text.replaceAll('\\', '\\\\')));
  });

  it('gets its certificate through its status, which approves nothing', async () => {
    await using server = await openServer();
    await make(server);
    const approved = { conditions: [condition('Approved')] };
    const { body: refusal } = await put(server, 'status', { status: approved });
    assert.match(String(at(refusal, '/message')), /may not add a condition of type "Approved"/);
    await put(server, 'approval', { status: approved });
    const issued = { ...approved, certificate: certificate.toString('base64') };
    const { status, body } = await put(server, 'status', { status: issued });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(at(body, '/status/certificate'), issued.certificate);
    const other = { ...approved, certificate: Buffer.from('x').toString('base64') };
    const changed = await put(server, 'status', { status: other });
    const message = String(at(changed.body, '/message'));
    assert.match(message, /must contain at least one CERTIFICATE PEM block/);
    assert.match(message, /updates may not modify existing certificate content/);
  });

  it('is approved and signed by those who hold that verb on its signer', async () => {
    await using server = await openServer();
    await make(server);
    const approved = { conditions: [condition('Approved')] };
    const asJane = { status: approved, user: jane };
    const mayNot = (verb: string): RegExp =>
      new RegExp(`user not permitted to ${verb} requests with signerName "example.com/signer"`);
    await refused(put(server, 'approval', asJane), mayNot('approve'));
    const approver = { ...all, verbs: ['approve'], resources: ['signers'] };
    const namedOnly = { ...approver, resourceNames: ['example.com/*'] };
    await grant(server, { user: 'approver' }, [useRequests, namedOnly]);
    const user = { ...jane, name: 'approver' };
    assert.equal((await put(server, 'approval', { status: approved, user })).status, 200);
    const issued = { ...approved, certificate: certificate.toString('base64') };
    await refused(put(server, 'status', { status: issued, user }), mayNot('sign'));
  });

  it('is refused when it is not signed by the key that it names', async () => {
    await using server = await openServer();
    const broken = Buffer.from(good, 'base64')
      .toString()
      .replace(/.{8}\n-----END/, 'AAAAAAA=\n-----END');
    const { status, body } = await make(server, {
      request: Buffer.from(broken).toString('base64'),
    });
    assert.equal(status, 422);
    assert.match(
      String(at(body, '/message')),
      /spec\.request: Invalid value: "LS0.*: (x509|asn1): /,
    );
  });

  it('is refused when it would make an administrator', async () => {
    await using server = await openServer();
    const request = await certificationRequestText('CN=root,O=system:masters');
    const client = make(server, { request, signerName: 'kubernetes.io/kube-apiserver-client' });
    await refused(client, /with system:masters group is not allowed$/);
  });

  it('can be applied in parts, each with its owner', async () => {
    await using server = await openServer();
    await make(server);
    const stated = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'csr' },
      status: { conditions: [condition('Approved')], certificate: 'aGVsbG8=' },
    };
    const { status, body } = await server.ask('PATCH', `${requests}/csr/approval`, {
      body: stated,
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'me' },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(at(body, '/status/conditions/0/type'), 'Approved');
    const owned = JSON.stringify(at(body, '/metadata/managedFields'));
    assert.match(owned, /"subresource":"approval"/);
    assert.doesNotMatch(owned, /f:certificate/);
  });
});
