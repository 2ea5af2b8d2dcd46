import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errorMessage, hasCode } from '@fnlet/base';
import type { CertificateTerms } from '@fnlet/client/tls';
import { ApiServerError } from '../api-server-error.ts';
import { authorityLifeMs, certificateLifeMs, certificateRenewMs } from '../limits.ts';

/*
 * The TLS identity of an embedded API: an authority of its own, which kubeconfigs trust, and the
 * server certificate that it signed. Kept in one directory, keys readable by their owner only.
 *
 * I1. The authority is made once: kubeconfigs that were handed out stay good.
 * I2. The files of a pair are replaced one by one, key first; a pair that does not match is made
 *     anew, so that a crash in between costs nothing but a new certificate.
 */

/** What a TLS server needs, and what its clients must trust. All in PEM. */
export interface TlsIdentity {
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export interface CertificateOptions {
  /** Where the files are; created with mode 0700. */
  readonly directory: string;
  /**
   * Names and addresses besides localhost, 127.0.0.1, ::1, and those of the Service `kubernetes`.
   * Default: none.
   */
  readonly hosts?: readonly string[];
  readonly clock: Clock;
}

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** What clients in a cluster call its API. */
const serviceHosts: readonly string[] = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/**
 * The identity in the directory; missing, foreign and soon expiring certificates are made anew.
 *
 * @throws ApiServerError `BrokenCertificate` when the authority cannot be read.
 */
export async function loadCertificates(options: CertificateOptions): Promise<TlsIdentity> {
  const { directory, clock } = options;
  const hosts = [...new Set([...loopbackHosts, ...serviceHosts, ...(options.hosts ?? [])])];
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const [caPem, caKeyPem, certPem, keyPem] = await Promise.all(
    ['ca.crt', 'ca.key', 'server.crt', 'server.key'].map((name) => readText(directory, name)),
  );
  if (caPem !== undefined && certPem !== undefined && keyPem !== undefined) {
    if (isUsable({ caPem, certPem, keyPem }, hosts, clock.now())) return { caPem, certPem, keyPem };
  }
  // Loaded only now: parsing the library would be half of a start.
  const { createAuthority, signServerCertificate } = await import('@fnlet/client/tls');
  const now = clock.now();
  const known = caPem !== undefined && caKeyPem !== undefined;
  const authority = known
    ? { certPem: caPem, keyPem: caKeyPem }
    : await createAuthority(authorityTerms(now));
  if (!known) await writePair(directory, 'ca', authority);
  const server = await signServerCertificate(authority, hosts, serverTerms(now)).catch(
    (error: unknown) => {
      const message = `Cannot use the authority in "${directory}": ${errorMessage(error)}, expected PEM`;
      const remedy = 'Delete the directory; kubeconfigs made before will no longer be trusted';
      throw new ApiServerError('BrokenCertificate', message, { cause: error, remedy });
    },
  );
  await writePair(directory, 'server', server);
  return { caPem: authority.certPem, ...server };
}

/** An identity of the loopback addresses that is kept nowhere; `now` is the clients' time. */
export async function createCertificates(now: number): Promise<TlsIdentity> {
  const { createAuthority, signServerCertificate } = await import('@fnlet/client/tls');
  const authority = await createAuthority(authorityTerms(now));
  const server = await signServerCertificate(authority, loopbackHosts, serverTerms(now));
  return { caPem: authority.certPem, ...server };
}

function authorityTerms(now: number): CertificateTerms {
  return { commonName: 'fnlet-ca', now, lifeMs: authorityLifeMs };
}

function serverTerms(now: number): CertificateTerms {
  return { commonName: 'fnlet-apiserver', now, lifeMs: certificateLifeMs };
}

async function readText(directory: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(directory, name), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function writePair(
  directory: string,
  name: string,
  { certPem, keyPem }: { certPem: string; keyPem: string },
): Promise<void> {
  await writeWhole(join(directory, `${name}.key`), keyPem, 0o600);
  await writeWhole(join(directory, `${name}.crt`), certPem, 0o644);
}

async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
}

function isUsable(identity: TlsIdentity, hosts: readonly string[], now: number): boolean {
  try {
    const certificate = new X509Certificate(identity.certPem);
    const authority = new X509Certificate(identity.caPem);
    if (certificate.validToDate.getTime() < now + certificateRenewMs) return false;
    if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey))
      return false;
    return hosts.every((host) => coversHost(certificate, host)) && identity.keyPem.includes('KEY');
  } catch {
    return false;
  }
}

function coversHost(certificate: X509Certificate, host: string): boolean {
  const isAddress = /^[\d.]+$|:/.test(host);
  return (isAddress ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}
