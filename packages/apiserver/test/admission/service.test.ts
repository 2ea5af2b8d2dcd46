import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { it } from 'node:test';
import { isJsonObject, silentLogger, systemClock } from '@fnlet/base';
import { createAuthority, listenHttps, signServerCertificate } from '@fnlet/client/tls';
import { statusError } from '@fnlet/machinery';
import type { PodRuntime } from '../../src/index.ts';
import { at } from '../at.ts';
import { type OpenedServer, openServer } from '../opened-server.ts';
import { rule } from './hooked-server.ts';

const core = '/api/v1/namespaces/default';
const api = 'admissionregistration.k8s.io/v1';

/** A Service `hook` with one ready Pod, whose port 9443 is the webhook's. */
async function addService({ ask }: OpenedServer): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
  await ask('POST', `${core}/pods`, { body: pod });
  const metadata = { name: 'hook' };
  const ports = [{ name: 'https', port: 443, targetPort: 9443 }];
  const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } };
  await ask('POST', `${core}/services`, { body: service });
  const targetRef = { kind: 'Pod', name: 'p', namespace: 'default' };
  const addresses = [{ ip: '10.0.0.1', targetRef }];
  const subsets = [{ addresses, ports: [{ name: 'https', port: 9443 }] }];
  const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets };
  await ask('POST', `${core}/endpoints`, { body: endpoints });
}

it('a webhook is found behind its Service, and known by the name of that', async () => {
  const terms = { commonName: 'hook', now: systemClock.now(), lifeMs: 60_000 };
  const authority = await createAuthority({ ...terms, commonName: 'authority' });
  const certificate = await signServerCertificate(authority, ['hook.default.svc'], terms);
  await using listener = await listenHttps({
    ...{ certificate, host: '127.0.0.1', port: 0, logger: silentLogger },
    handler: async (request) => {
      const review: unknown = await request.json();
      assert.ok(isJsonObject(review));
      const { pathname } = new URL(request.url);
      const status = { message: `no, says ${pathname}` };
      const response = { uid: at(review, '/request/uid'), allowed: false, status };
      return Response.json({ ...review, response });
    },
  });
  const nothing = (): Promise<never> => Promise.reject(statusError('NotFound', 'nothing'));
  const podRuntime: PodRuntime = {
    async *logs() {},
    ...{ exec: nothing, attach: nothing },
    portForward: async (_pod, port) => {
      assert.equal(port, 9443);
      return connect(listener.port, '127.0.0.1');
    },
  };
  await using server = await openServer({ podRuntime });
  await addService(server);
  const service = { namespace: 'default', name: 'hook', path: '/v' };
  const caBundle = Buffer.from(authority.certPem).toString('base64');
  const webhook = {
    ...{ name: 'a.example.dev', clientConfig: { service, caBundle }, rules: [rule({})] },
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
  };
  const configuration = {
    ...{ apiVersion: api, kind: 'ValidatingWebhookConfiguration' },
    ...{ metadata: { name: 'a' }, webhooks: [webhook] },
  };
  const path = `/apis/${api}/validatingwebhookconfigurations`;
  assert.equal((await server.ask('POST', path, { body: configuration })).status, 201);
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const refused = await server.ask('POST', `${core}/configmaps`, { body });
  const message = 'admission webhook "a.example.dev" denied the request: no, says /v';
  assert.equal(at(refused.body, '/message'), message);
  await server.ask('DELETE', `${core}/endpoints/hook`);
  const unreachable = await server.ask('POST', `${core}/configmaps`, { body });
  const none = /no endpoints available for service "hook"$/;
  assert.match(String(at(unreachable.body, '/message')), none);
});
