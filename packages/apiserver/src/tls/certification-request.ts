import { webcrypto } from 'node:crypto';
import '@fnlet/client/tls'; // Makes the library below fit to be loaded.
import * as x509 from '@peculiar/x509';

/** What a request for a certificate (PKCS #10, RFC 2986) asks for. */
export interface CertificationRequest {
  /** The values of O in the subject: as a client's certificate, the groups of its user. */
  readonly organizations: readonly string[];
}

/**
 * Reads a request for a certificate in PEM; text when it is none, or when whoever made it did not
 * show that it holds the private key.
 */
export async function readCertificationRequest(
  pem: string,
): Promise<CertificationRequest | string> {
  x509.cryptoProvider.set(webcrypto);
  let request: x509.Pkcs10CertificateRequest;
  try {
    request = new x509.Pkcs10CertificateRequest(pem);
  } catch {
    return 'asn1: structure error: malformed certificate request';
  }
  const isHeld = await request.verify().catch(() => false);
  if (!isHeld) return 'x509: the signature of the certificate request does not fit its public key';
  return { organizations: request.subjectName.getField('O') };
}
