import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { triggerReasons } from '@fnlet/api';
import { errorMessage } from '@fnlet/base';
import type { Certificate } from '@fnlet/gateway';

/** What is wrong with a certificate. */
export interface CertificateTrouble {
  readonly reason: Extract<keyof typeof triggerReasons, `certificate${string}`>;
  readonly message: string;
}

/** What is in a Secret of the type kubernetes.io/tls, and whether it will do. */
export interface CertificateJudgement {
  /** Set where it can be shown, though some clients may not take it. */
  readonly usable: boolean;
  readonly trouble: CertificateTrouble | undefined;
  /** When it is to be judged again, since the Unix epoch. */
  readonly untilMs: number | undefined;
}

/**
 * Whether clients will take a certificate for these hosts (RFC 6125: a wildcard stands for one
 * label).
 */
export function judgeCertificate(
  { certPem, keyPem }: Certificate,
  hosts: readonly string[],
  nowMs: number,
): CertificateJudgement {
  try {
    const certificate = new X509Certificate(certPem);
    if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) {
      return unusable('tls.key is the private key of another certificate');
    }
    const fromMs = certificate.validFromDate.getTime();
    const toMs = certificate.validToDate.getTime();
    const message =
      (nowMs < fromMs ? `it holds from ${certificate.validFrom} on` : undefined) ??
      (nowMs >= toMs ? `it was good until ${certificate.validTo}` : undefined) ??
      uncovered(certificate, hosts);
    const trouble = message === undefined ? undefined : invalid(message);
    const nextMs = [fromMs, toMs].find((atMs) => atMs > nowMs);
    return { usable: true, trouble, untilMs: nextMs };
  } catch (error) {
    return unusable(errorMessage(error));
  }
}

function uncovered(certificate: X509Certificate, hosts: readonly string[]): string | undefined {
  const missing = hosts.find((host) => {
    // A name below a wildcard stands for all of them.
    return certificate.checkHost(host.replace('*', 'any')) === undefined;
  });
  if (missing === undefined) return undefined;
  return `it is for ${certificate.subjectAltName ?? certificate.subject}, not for ${missing}`;
}

function unusable(message: string): CertificateJudgement {
  return { usable: false, trouble: invalid(message), untilMs: undefined };
}

function invalid(message: string): CertificateTrouble {
  return { reason: 'certificateInvalid', message: `Cannot use the certificate: ${message}` };
}
