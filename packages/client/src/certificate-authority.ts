import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import './reflect-polyfill.ts';
import * as x509 from '@peculiar/x509';

/** A certificate and its private key, in PEM. */
export interface CertificatePair {
  readonly certPem: string;
  readonly keyPem: string;
}

const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signing = { name: 'ECDSA', hash: 'SHA-256' } as const;
// Clocks of clients may be behind.
const backdateMs = 3_600_000;

/** What a certificate says, besides its key. */
export interface CertificateTerms {
  readonly commonName: string;
  /** From when on it is valid, give or take what clocks are wrong; since the Unix epoch. */
  readonly now: number;
  readonly lifeMs: number;
}

/** A new authority, trusted by nobody yet. */
export async function createAuthority(terms: CertificateTerms): Promise<CertificatePair> {
  const { commonName, now, lifeMs } = terms;
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(curve, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${commonName}`,
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + lifeMs),
    signingAlgorithm: signing,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certPem: certificate.toString('pem'), keyPem: await exportKey(keys.privateKey) };
}

/** A certificate for a TLS server that is reached under these names and addresses. */
export async function signServerCertificate(
  authority: CertificatePair,
  hosts: readonly string[],
  terms: CertificateTerms,
): Promise<CertificatePair> {
  const names = hosts.map((host) => ({
    type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const),
    value: host,
  }));
  return sign(authority, terms, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
  ]);
}

/** A certificate that a TLS client shows, who is known by its common name. */
export function signClientCertificate(
  authority: CertificatePair,
  terms: CertificateTerms,
): Promise<CertificatePair> {
  return sign(authority, terms, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
}

async function sign(
  authority: CertificatePair,
  { commonName, now, lifeMs }: CertificateTerms,
  purpose: readonly x509.Extension[],
): Promise<CertificatePair> {
  x509.cryptoProvider.set(webcrypto);
  const issuer = new x509.X509Certificate(authority.certPem);
  const signingKey = await importKey(authority.keyPem);
  const keys = await webcrypto.subtle.generateKey(curve, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${commonName}`,
    issuer: issuer.subject,
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + lifeMs),
    signingAlgorithm: signing,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...purpose,
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certPem: certificate.toString('pem'), keyPem: await exportKey(keys.privateKey) };
}

function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  // A positive number: the first bit of the DER integer is its sign.
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  const lines = bytes.match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', bytes, curve, false, ['sign']);
}
