/**
 * Certificates of the Gateway that nobody had to get: signed by the authority of the data
 * directory, for each host when it is first asked for. Kept in memory only, as making one takes no
 * longer than a handshake.
 *
 * I1. Whoever stands in front gets a certificate for a host only if `mayHave` says so.
 * I2. What is shown has time left: it is made anew before its end, by whoever asks for it then.
 * I3. At most so many are kept, and so many in work; beyond that hosts are shown the fallback.
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type Clock, errorMessage, type Logger } from '@fnlet/base';
import type { Certificate, CertificateSource } from '@fnlet/gateway';
import {
  gatewayCertificateLifeMs,
  gatewayCertificateRenewMs,
  gatewayCertificatesInWorkMax,
  gatewayCertificatesMax,
} from './limits.ts';

export interface GatewayCertificatesOptions {
  /** Its key is read when the first certificate is made. */
  readonly authority: { readonly certPem: string; readonly keyPath: string };
  /** A certificate for `hosts` that is there already. */
  readonly first: Certificate;
  /** What the fallback is for. */
  readonly hosts: readonly string[];
  /** Whether there may be a certificate for this host, too. */
  readonly mayHave: (host: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Kept {
  readonly certificate: Certificate;
  readonly renewAt: number;
}

const hostPattern = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
const hostCharactersMax = 253;

export class GatewayCertificates implements CertificateSource {
  readonly #options: GatewayCertificatesOptions;
  readonly #hosts: ReadonlySet<string>;
  /** By host, the one unused for longest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #inWork = new Map<string, Promise<Certificate>>();
  #fallback: Kept;
  #renewing = false;

  constructor(options: GatewayCertificatesOptions) {
    this.#options = options;
    this.#hosts = new Set(options.hosts);
    this.#fallback = { certificate: options.first, renewAt: renewAt(options.first) };
  }

  get fallback(): Certificate {
    if (this.#options.clock.now() >= this.#fallback.renewAt && !this.#renewing) {
      this.#renewing = true;
      void this.#renewFallback();
    }
    return this.#fallback.certificate;
  }

  async forHost(host: string): Promise<Certificate | undefined> {
    if (this.#hosts.has(host) || !this.#isName(host)) return undefined;
    const kept = this.#kept.get(host);
    if (kept !== undefined && this.#options.clock.now() < kept.renewAt) {
      this.#keep(host, kept);
      return kept.certificate;
    }
    const inWork = this.#inWork.get(host);
    if (inWork !== undefined) return inWork;
    if (!this.#options.mayHave(host)) return undefined;
    if (this.#inWork.size >= gatewayCertificatesInWorkMax) return kept?.certificate;
    const making = this.#make([host]).finally(() => this.#inWork.delete(host));
    this.#inWork.set(host, making);
    const certificate = await making;
    this.#keep(host, { certificate, renewAt: renewAt(certificate) });
    return certificate;
  }

  #isName(host: string): boolean {
    return host.length <= hostCharactersMax && hostPattern.test(host) && isIP(host) === 0;
  }

  #keep(host: string, kept: Kept): void {
    this.#kept.delete(host);
    this.#kept.set(host, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > gatewayCertificatesMax && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #renewFallback(): Promise<void> {
    const { hosts, logger } = this.#options;
    try {
      const certificate = await this.#make(hosts);
      this.#fallback = { certificate, renewAt: renewAt(certificate) };
    } catch (error) {
      logger.warn('Cannot renew the certificate of the Gateway', { error: errorMessage(error) });
    } finally {
      this.#renewing = false;
    }
  }

  async #make(hosts: readonly string[]): Promise<Certificate> {
    const { authority, clock } = this.#options;
    const { certPem, keyPath } = authority;
    const keyPem = await readFile(keyPath, 'utf8');
    // Loaded with the first host that needs it: it takes longer than making the certificate.
    const { signServerCertificate } = await import('@fnlet/client/tls');
    return signServerCertificate({ certPem, keyPem }, [...new Set(hosts)], {
      commonName: 'fnlet-gateway',
      now: clock.now(),
      lifeMs: gatewayCertificateLifeMs,
    });
  }
}

function renewAt({ certPem }: Certificate): number {
  return new X509Certificate(certPem).validToDate.getTime() - gatewayCertificateRenewMs;
}
