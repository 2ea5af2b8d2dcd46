import assert from 'node:assert/strict';
import { request } from 'node:https';
import { test } from 'node:test';
import { silentLogger, systemClock } from '@fnlet/base';
import {
  type CertificatePair,
  createAuthority,
  signServerCertificate,
} from './certificate-authority.ts';
import { type HttpsListenerOptions, listenHttps } from './https-listener.ts';

const host = 'operator.default.svc';

async function certify(): Promise<{ readonly ca: string; readonly certificate: CertificatePair }> {
  const terms = { commonName: 'authority', now: systemClock.now(), lifeMs: 3_600_000 };
  const authority = await createAuthority(terms);
  const certificate = await signServerCertificate(authority, [host], {
    ...terms,
    commonName: host,
  });
  return { ca: authority.certPem, certificate };
}

async function call(port: number, ca: string, init = { method: 'GET', body: '' }): Promise<string> {
  const { method, body } = init;
  return await new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, path: '/a?b=c', method };
    const asked = request({ ...target, ca, servername: host, agent: false }, async (response) => {
      const chunks = await response.toArray();
      resolve(`${response.statusCode} ${Buffer.concat(chunks).toString()}`);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const echo: HttpsListenerOptions['handler'] = async (asked) => {
  const { pathname, search } = new URL(asked.url);
  if (asked.method === 'DELETE') throw new Error('broken');
  return new Response(`${asked.method} ${pathname}${search} ${await asked.text()}`);
};

test('a listener hands requests to its handler, and survives one that throws', async () => {
  const { ca, certificate } = await certify();
  const where = { host: '127.0.0.1', port: 0, logger: silentLogger };
  await using listener = await listenHttps({ ...where, certificate, handler: echo });
  assert.equal(await call(listener.port, ca), '200 GET /a?b=c ');
  assert.equal(await call(listener.port, ca, { method: 'DELETE', body: '' }), '500 ');
  assert.equal(
    await call(listener.port, ca, { method: 'POST', body: 'text' }),
    '200 POST /a?b=c text',
  );
});

test('a renewed certificate is what the next connection sees', async () => {
  const [first, second] = await Promise.all([certify(), certify()]);
  const where = { host: '127.0.0.1', port: 0, logger: silentLogger };
  const { certificate } = first;
  await using listener = await listenHttps({ ...where, certificate, handler: echo });
  await assert.rejects(call(listener.port, second.ca), /certificate/);
  listener.renew(second.certificate);
  assert.match(await call(listener.port, second.ca), /^200 /);
  await assert.rejects(call(listener.port, first.ca), /certificate/);
});

test('a port that is taken is refused', async () => {
  const { certificate } = await certify();
  const where = { host: '127.0.0.1', logger: silentLogger, certificate, handler: echo };
  await using listener = await listenHttps({ ...where, port: 0 });
  await assert.rejects(listenHttps({ ...where, port: listener.port }), /EADDRINUSE/);
});
