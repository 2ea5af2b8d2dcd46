/**
 * Which certificate a client of TLS is shown: that of the very host, else that of a wildcard one
 * label above, else what the source has for it, else the source's own default.
 *
 * I1. What is looked up by host is replaced in one assignment; handshakes see the old or the new.
 * I2. A certificate that cannot be used never takes the place of one that can.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import { errorMessage, FnletError } from '@fnlet/base';
import { fixedLimits } from '../limits.ts';

/** A certificate with its chain, and its private key, in PEM. A value: replaced, never changed. */
export interface Certificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Where certificates come from that nobody has set. */
export interface CertificateSource {
  /** For clients that name no host, or one that there is nothing else for. It may be replaced. */
  readonly fallback: Certificate;
  /** For a host in lower case, if there is one. Asked at every handshake that needs it. */
  forHost(host: string): Promise<Certificate | undefined>;
}

export type CertificateErrorCode = 'CertificateBroken';

export class CertificateTable {
  readonly #createContext: (certificate: Certificate) => SecureContext;
  #byHost: ReadonlyMap<string, Certificate> = new Map();
  /** What OpenSSL made of certificates, the least recently used one first. */
  readonly #contexts = new Map<Certificate, SecureContext>();

  constructor(createContext: (certificate: Certificate) => SecureContext) {
    this.#createContext = createContext;
  }

  /**
   * Replaces all certificates by host, such as `www.example.com` or `*.example.com`.
   *
   * @throws FnletError `CertificateBroken`; then nothing is replaced.
   */
  replace(certificates: ReadonlyMap<string, Certificate>): void {
    const known = new Set(this.#byHost.values());
    const byHost = new Map<string, Certificate>();
    for (const [host, certificate] of certificates) {
      if (!known.has(certificate)) assertUsable(host, certificate);
      known.add(certificate);
      byHost.set(host.toLowerCase(), certificate);
    }
    this.#byHost = byHost;
    for (const certificate of this.#contexts.keys()) {
      if (!known.has(certificate)) this.#contexts.delete(certificate);
    }
  }

  /** The certificate that was set for a host. */
  find(host: string): Certificate | undefined {
    const name = host.toLowerCase();
    return this.#byHost.get(name) ?? this.#byHost.get(`*${name.slice(name.indexOf('.'))}`);
  }

  /** A certificate as OpenSSL takes it. */
  context(certificate: Certificate): SecureContext {
    const context = this.#contexts.get(certificate) ?? this.#createContext(certificate);
    this.#contexts.delete(certificate);
    this.#contexts.set(certificate, context);
    if (this.#contexts.size > fixedLimits.certificatesReadyMax) {
      const [oldest] = this.#contexts.keys();
      if (oldest !== undefined) this.#contexts.delete(oldest);
    }
    return context;
  }
}

function assertUsable(host: string, { certPem, keyPem }: Certificate): void {
  const found = explain(certPem, keyPem);
  if (found === undefined) return;
  throw new FnletError<CertificateErrorCode>(
    'CertificateBroken',
    `Cannot use the certificate for "${host}": ${found}, expected PEM of both, made for each other`,
  );
}

function explain(certPem: string, keyPem: string): string | undefined {
  try {
    const isPair = new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
    return isPair ? undefined : 'its private key is that of another one';
  } catch (error) {
    return errorMessage(error);
  }
}
