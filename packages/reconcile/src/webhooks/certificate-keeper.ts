/**
 * Owns the TLS identity of a webhook server: an authority of its own and the certificate that it
 * signed, kept in one Secret that all replicas share.
 *
 * I1. Replicas agree by optimistic locking: who loses takes what the winner wrote.
 * I2. Order of a renewal: the Secret, then whoever calls trusts it, then it is served. The
 *     authority before stays trusted while it is valid, so that replicas may be late.
 */
import { type Clock, errorMessage, hasCode, type Logger, sleep } from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import {
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '@fnlet/machinery';
import { type CertificateTarget, targetType, trustOf } from './certificate-target.ts';
import {
  authorityLifeMs,
  certificateLifeMs,
  certificateLookMs,
  certificateRetryMs,
  identityTriesMax,
} from './limits.ts';
import {
  bundleAuthorities,
  firstCertificate,
  planCertificates,
  type WebhookCertificates,
} from './plan-certificates.ts';

export interface CertificateKeeperOptions {
  readonly client: Client;
  /** Where the identity is kept; made when it is missing. */
  readonly secret: ObjectKey;
  /** Names under which the server is called, such as `site-operator.sites.svc`. */
  readonly hosts: readonly string[];
  /** Who must trust it. */
  readonly targets: readonly CertificateTarget[];
  /** Called with the identity to serve, whenever it is another one than before. */
  readonly onChange: (certificates: WebhookCertificates) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps certificates good, while it runs. */
export interface CertificateKeeper {
  readonly name: string;
  /**
   * The identity, made when it is missing: for who serves it before anybody is told to call. It
   * counts as given to `onChange`.
   *
   * @throws StatusError, TransportError
   */
  identity(signal: AbortSignal): Promise<WebhookCertificates>;
  /**
   * Looks once: whether the identity is good, and whether all targets trust it.
   *
   * @throws StatusError, TransportError
   */
  look(signal: AbortSignal): Promise<void>;
  /** Looks, again and again, until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const secretType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

const fields = { caPem: 'ca.crt', caKeyPem: 'ca.key', certPem: 'tls.crt', keyPem: 'tls.key' };

/** Costs one read and one apply without effect per target each 10 minutes. */
export function createCertificateKeeper(options: CertificateKeeperOptions): CertificateKeeper {
  const { client, clock, logger, secret, targets, onChange } = options;
  const secrets = client.of<Secret>(secretType);
  const name = `certificates in Secret "${formatObjectKey(secret)}"`;
  let served: string | undefined;
  const look = async (signal: AbortSignal): Promise<void> => {
    const certificates = await ensure(options, secrets, signal);
    for (const target of targets) {
      const trust = trustOf(target, certificates.caPem);
      await client.of(targetType(target)).apply(trust, { force: true, signal });
    }
    if (certificates.certPem === served) return;
    served = certificates.certPem;
    onChange(certificates);
  };
  return {
    name,
    async identity(signal) {
      const certificates = await ensureTogether(options, secrets, signal);
      served = certificates.certPem;
      return certificates;
    },
    look,
    async run(signal) {
      while (!signal.aborted) {
        let waitMs = certificateLookMs;
        try {
          await look(signal);
        } catch (error) {
          if (signal.aborted) return;
          waitMs = certificateRetryMs;
          if (!hasCode(error, 'Conflict') && !hasCode(error, 'AlreadyExists')) {
            logger.warn(`Cannot keep the ${name}: ${errorMessage(error)}`);
          }
        }
        await sleep(clock, waitMs, signal);
      }
    },
  };
}

/** The same, where several begin at once: who loses takes what the winner wrote (I1). */
async function ensureTogether(
  options: CertificateKeeperOptions,
  secrets: ResourceClient<Secret>,
  signal: AbortSignal,
): Promise<WebhookCertificates> {
  for (let tries = 1; ; tries++) {
    try {
      return await ensure(options, secrets, signal);
    } catch (error) {
      const isLost = hasCode(error, 'Conflict') || hasCode(error, 'AlreadyExists');
      if (!isLost || tries === identityTriesMax) throw error;
    }
  }
}

/** The identity in the Secret, made anew where it has to be. */
async function ensure(
  { secret: key, hosts, clock }: CertificateKeeperOptions,
  secrets: ResourceClient<Secret>,
  signal: AbortSignal,
): Promise<WebhookCertificates> {
  const now = clock.now();
  const secret = await secrets.tryGet(key, { signal });
  const kept = secret && readCertificates(secret);
  const plan = planCertificates(kept, hosts, now);
  if (plan === 'keep' && kept !== undefined) return kept;
  const made = await make(plan === 'renewCertificate' ? kept : undefined, hosts, now);
  const caPem =
    plan === 'renewAuthority' ? bundleAuthorities(made.caPem, kept?.caPem, now) : made.caPem;
  const certificates = { ...made, caPem };
  const data = { ...secret?.data, ...encode(certificates) };
  const metadata = { ...secret?.metadata, ...key };
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    ...secret,
    metadata,
    data,
  };
  // I1
  if (secret === undefined) await secrets.create(object, { signal });
  else await secrets.update(object, { signal });
  return certificates;
}

async function make(
  kept: WebhookCertificates | undefined,
  hosts: readonly string[],
  now: number,
): Promise<WebhookCertificates> {
  // Loaded only now: it is not needed while what is kept is good.
  const { createAuthority, signServerCertificate } = await import('@fnlet/client/tls');
  const terms = { commonName: 'webhook-ca', now, lifeMs: authorityLifeMs };
  const authority =
    kept === undefined
      ? await createAuthority(terms)
      : { certPem: firstCertificate(kept.caPem), keyPem: kept.caKeyPem };
  const server = await signServerCertificate(authority, hosts, {
    commonName: hosts[0] ?? 'webhook',
    now,
    lifeMs: certificateLifeMs,
  });
  return { caPem: kept?.caPem ?? authority.certPem, caKeyPem: authority.keyPem, ...server };
}

function readCertificates({ data = {} }: Secret): WebhookCertificates {
  const text = (field: string): string => Buffer.from(data[field] ?? '', 'base64').toString();
  return {
    caPem: text(fields.caPem),
    caKeyPem: text(fields.caKeyPem),
    certPem: text(fields.certPem),
    keyPem: text(fields.keyPem),
  };
}

function encode(certificates: WebhookCertificates): Record<string, string> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return {
    [fields.caPem]: base64(certificates.caPem),
    [fields.caKeyPem]: base64(certificates.caKeyPem),
    [fields.certPem]: base64(certificates.certPem),
    [fields.keyPem]: base64(certificates.keyPem),
  };
}
