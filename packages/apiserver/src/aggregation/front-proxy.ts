/**
 * What this server shows to others that it passes requests on to: a client certificate of an
 * authority of its own. Both are kept in a Secret; the authority is told of in
 * kube-system/extension-apiserver-authentication, as Kubernetes does.
 */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '@fnlet/base';
import { isJsonObject } from '@fnlet/base';
import type { Transport } from '@fnlet/client';
import { authorityLifeMs, certificateRenewMs } from '../limits.ts';
import type { User } from '../request/api-request.ts';

/** In PEM. */
export interface FrontProxyIdentity {
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

const commonName = 'front-proxy-client';
const place = '/api/v1/namespaces/kube-system';
const secretName = 'front-proxy-client';
const configMapName = 'extension-apiserver-authentication';

/** The identity, made when it is missing or ends soon, and told. */
export async function tellFrontProxy(
  transport: Transport,
  clock: Clock,
): Promise<FrontProxyIdentity> {
  const kept = await readIdentity(transport);
  const identity = kept !== undefined && isGood(kept, clock) ? kept : await makeIdentity(clock);
  if (identity !== kept) {
    const { caPem, certPem, keyPem } = identity;
    await apply(transport, 'secrets', {
      ...{ kind: 'Secret', metadata: { name: secretName }, type: 'kubernetes.io/tls' },
      stringData: { 'ca.crt': caPem, 'tls.crt': certPem, 'tls.key': keyPem },
    });
  }
  await apply(transport, 'configmaps', {
    ...{ kind: 'ConfigMap', metadata: { name: configMapName } },
    data: {
      'requestheader-allowed-names': JSON.stringify([commonName]),
      'requestheader-client-ca-file': identity.caPem,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    },
  });
  return identity;
}

/** Headers that say who asks. */
export function callerHeaders({
  name,
  groups,
  extra = {},
}: User): Record<string, string | string[]> {
  const others = Object.entries(extra).map(
    ([key, values]) => [`x-remote-extra-${encodeURIComponent(key)}`, [...values]] as const,
  );
  return { 'x-remote-user': name, 'x-remote-group': [...groups], ...Object.fromEntries(others) };
}

/** Whether a header says who asks, or shows rights to this server: nobody else's are passed on. */
export function isAboutCaller(name: string): boolean {
  return (
    name === 'authorization' || name.startsWith('impersonate-') || name.startsWith('x-remote-')
  );
}

async function readIdentity(transport: Transport): Promise<FrontProxyIdentity | undefined> {
  const path = `${place}/secrets/${secretName}`;
  const answer = await transport.request({ method: 'GET', path });
  const found = await answer.json();
  if (answer.status !== 200 || !isJsonObject(found) || !isJsonObject(found.data)) return undefined;
  const { data } = found;
  const [caPem = '', certPem = '', keyPem = ''] = ['ca.crt', 'tls.crt', 'tls.key'].map((key) =>
    Buffer.from(String(data[key] ?? ''), 'base64').toString(),
  );
  return { caPem, certPem, keyPem };
}

function isGood({ caPem, certPem }: FrontProxyIdentity, clock: Clock): boolean {
  try {
    const [authority, certificate] = [new X509Certificate(caPem), new X509Certificate(certPem)];
    const leftMs = certificate.validToDate.getTime() - clock.now();
    return leftMs > certificateRenewMs && certificate.verify(authority.publicKey);
  } catch {
    return false;
  }
}

async function makeIdentity(clock: Clock): Promise<FrontProxyIdentity> {
  // Loaded only now: parsing the library takes as long as half a start.
  const { createAuthority, signClientCertificate } = await import('@fnlet/client/tls');
  const terms = { now: clock.now(), lifeMs: authorityLifeMs };
  const authority = await createAuthority({ commonName: 'front-proxy-ca', ...terms });
  const pair = await signClientCertificate(authority, { commonName, ...terms });
  return { caPem: authority.certPem, ...pair };
}

async function apply(
  transport: Transport,
  plural: string,
  object: Readonly<Record<string, unknown>> & { readonly metadata: { readonly name: string } },
): Promise<void> {
  const answer = await transport.request({
    method: 'PATCH',
    path: `${place}/${plural}/${object.metadata.name}`,
    query: { fieldManager: 'kube-apiserver', force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', ...object },
  });
  if (answer.status < 300) return;
  const said = await answer.json();
  const message = isJsonObject(said) ? said.message : said;
  throw new Error(`Cannot write ${plural} "${object.metadata.name}": ${message}`);
}
