import { X509Certificate } from 'node:crypto';
import { parseIp } from '@fnlet/schema';
import { certificateLifeMs } from './limits.ts';

/** What the Secret of a webhook server holds, in PEM. */
export interface WebhookCertificates {
  /** The authority, and behind it the one before, for as long as that is valid. */
  readonly caPem: string;
  readonly caKeyPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

/** What has to be made anew: nothing, the server's certificate, or the authority and all. */
export type CertificatePlan = 'keep' | 'renewCertificate' | 'renewAuthority';

/**
 * Whether certificates are still good. An authority is replaced before a certificate that it signs
 * now could outlive it; what cannot be read counts as missing.
 */
export function planCertificates(
  kept: WebhookCertificates | undefined,
  hosts: readonly string[],
  now: number,
): CertificatePlan {
  const authority = kept && tryRead(kept.caPem);
  if (authority === undefined || leftMs(authority, now) < certificateLifeMs)
    return 'renewAuthority';
  const certificate = tryRead(kept?.certPem ?? '');
  if (certificate === undefined || leftMs(certificate, now) < certificateLifeMs / 3) {
    return 'renewCertificate';
  }
  const isSigned = certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  const covers = (host: string): boolean =>
    (parseIp(host) === undefined ? certificate.checkHost(host) : certificate.checkIP(host)) !==
    undefined;
  return isSigned && hosts.every(covers) ? 'keep' : 'renewCertificate';
}

/** The authorities to trust: the new one, and the one before while it is valid. */
export function bundleAuthorities(caPem: string, before: string | undefined, now: number): string {
  const previous = firstCertificate(before ?? '');
  const known = tryRead(previous);
  if (known === undefined || leftMs(known, now) <= 0) return caPem;
  return `${caPem.trimEnd()}\n${previous}\n`;
}

/** The authority that signs: the first of the bundle. */
export function firstCertificate(bundle: string): string {
  return /-----BEGIN[\s\S]*?-----END CERTIFICATE-----/.exec(bundle)?.[0] ?? '';
}

function leftMs(certificate: X509Certificate, now: number): number {
  return certificate.validToDate.getTime() - now;
}

function tryRead(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
