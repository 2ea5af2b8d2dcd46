import { webcrypto } from 'node:crypto';
// The door of the room loads what the library needs before the library.
import '../src/tls/certification-request.ts';
import * as x509 from '@peculiar/x509';

/** A request for a certificate with this subject, as `spec.request` holds it: PEM in base64. */
export async function certificationRequestText(subject: string): Promise<string> {
  x509.cryptoProvider.set(webcrypto);
  const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const;
  const keys = await webcrypto.subtle.generateKey(curve, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  return Buffer.from(request.toString('pem')).toString('base64');
}
