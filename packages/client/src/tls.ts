// A door of its own: whoever only talks to an API need not load what makes certificates.
export {
  type CertificatePair,
  type CertificateTerms,
  createAuthority,
  signClientCertificate,
  signServerCertificate,
} from './certificate-authority.ts';
export {
  type HttpsListener,
  type HttpsListenerOptions,
  listenHttps,
} from './https-listener.ts';
