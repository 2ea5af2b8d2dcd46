/**
 * The certificates that Triggers bring along for their hosts, in Secrets.
 *
 * I1. A host is shown one certificate: that of the oldest Trigger that brings one for it.
 * I2. What cannot be used is not shown: clients get what the Gateway has made for itself.
 * I3. A Secret that says the same again is the same certificate to the Gateway.
 */
import type { HttpSource } from '@fnlet/api';
import { type Clock, jsonEqual } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { Certificate, Gateway } from '@fnlet/gateway';
import { formatObjectKey, type KubeObject } from '@fnlet/machinery';
import { type CertificateTrouble, judgeCertificate } from './judge-certificate.ts';
import type { LostMatch } from './plan-http-route.ts';
import { RouteClaims } from './route-claims.ts';
import { secretType } from './trigger-policies.ts';

/** A Trigger that may bring a certificate. */
export interface CertificateOwner {
  readonly id: string;
  readonly namespace: string;
  /** When it was made, in RFC 3339. */
  readonly since: string;
  readonly source: HttpSource;
}

/** What a Trigger brings. */
interface Brought {
  readonly since: string;
  /** Key of the Secret. */
  readonly secret: string;
  readonly hosts: readonly string[];
  readonly certificate: Certificate | undefined;
  readonly trouble: CertificateTrouble | undefined;
  readonly untilMs: number | undefined;
}

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export class TriggerCertificates {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #gateway: Pick<Gateway, 'setCertificates'>;
  readonly #brought = new Map<string, Brought>();
  readonly #claims = new RouteClaims();
  /** By Secret: what is shown of it (I3). */
  #known = new Map<string, Certificate>();
  #shown: ReadonlyMap<string, Certificate> = new Map();

  constructor(options: {
    readonly client: Client;
    readonly clock: Clock;
    readonly gateway: Pick<Gateway, 'setCertificates'>;
  }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#gateway = options.gateway;
  }

  /**
   * Reads what a Trigger brings; returns whom else it concerns. {@link show} makes it effective.
   *
   * @throws what the API answers when the Secret cannot be read; what was brought before stays
   */
  async read(owner: CertificateOwner, signal?: AbortSignal): Promise<ReadonlySet<string>> {
    const { id, namespace, since, source } = owner;
    const { tls, hosts = [] } = source;
    const name = tls?.secretName;
    if (name === undefined) return this.remove(id);
    const key = { namespace, name };
    const secrets = this.#client.of<Secret>(secretType);
    const found = await secrets.tryGet(key, signal === undefined ? {} : { signal });
    const secret = formatObjectKey(key);
    this.#brought.set(id, { since, secret, hosts, ...this.#judge(found, { name, secret, hosts }) });
    return this.#claims.set({ id, since, claims: hosts });
  }

  /** What a Trigger brought it brings no more; returns whom that concerns. */
  remove(id: string): ReadonlySet<string> {
    return this.#brought.delete(id) ? this.#claims.remove(id) : new Set();
  }

  /** Has the Gateway show what was read. */
  show(): void {
    const shown = new Map<string, Certificate>();
    const known = new Map<string, Certificate>();
    for (const [id, { secret, hosts, certificate }] of this.#brought) {
      if (certificate === undefined) continue;
      known.set(secret, certificate);
      for (const host of hosts) if (this.#claims.holder(host) === id) shown.set(host, certificate);
    }
    this.#known = known;
    if (isSame(shown, this.#shown)) return;
    this.#gateway.setCertificates(shown);
    this.#shown = shown;
  }

  /** What is wrong with the certificate of a Trigger, and when that is to be judged again. */
  judgementOf(id: string): Pick<Brought, 'trouble' | 'untilMs'> | undefined {
    return this.#brought.get(id);
  }

  /** The hosts that are shown another Trigger's certificate, where that is another one. */
  lostBy(id: string): readonly LostMatch[] {
    const { hosts = [], secret } = this.#brought.get(id) ?? {};
    return hosts.flatMap((host) => {
      const holder = this.#claims.holder(host) ?? id;
      const isOwn = this.#brought.get(holder)?.secret === secret;
      return isOwn ? [] : [{ what: `the certificate of ${host}`, holder }];
    });
  }

  #judge(
    found: Secret | undefined,
    of: { readonly name: string; readonly secret: string; readonly hosts: readonly string[] },
  ): Pick<Brought, 'certificate' | 'trouble' | 'untilMs'> {
    const { 'tls.crt': cert, 'tls.key': key } = found?.data ?? {};
    if (cert === undefined || key === undefined) {
      const missing = found === undefined ? 'does not exist' : 'has no tls.crt and tls.key';
      const remedy = 'create it with kubectl create secret tls';
      const message = `Secret "${of.name}" ${missing}: ${remedy}`;
      const trouble: CertificateTrouble = { reason: 'certificateNotFound', message };
      return { certificate: undefined, trouble, untilMs: undefined };
    }
    const read = { certPem: decode(cert), keyPem: decode(key) };
    const known = this.#known.get(of.secret);
    const certificate = known !== undefined && jsonEqual({ ...known }, read) ? known : read;
    this.#known.set(of.secret, certificate);
    const { usable, ...said } = judgeCertificate(certificate, of.hosts, this.#clock.now());
    return { certificate: usable ? certificate : undefined, ...said };
  }
}

function isSame<K, V>(one: ReadonlyMap<K, V>, other: ReadonlyMap<K, V>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString();
}
