export type { PostToWebhook } from './admission/webhook-post.ts';
export { type ApiServer, type ApiServerOptions, createApiServer } from './api-server.ts';
export { ApiServerError, type ApiServerErrorCode } from './api-server-error.ts';
export { adminUser, mirrorUser, type TokenIdentity } from './auth/authentication.ts';
export { definitionRevision } from './crd/definition-revision.ts';
export { serverVersion } from './discovery/server-version.ts';
export { type HttpsFront, type ListenHttpsOptions, listenHttps } from './http/https-front.ts';
export { createInProcessTransport } from './in-process-transport.ts';
export { awaitFirstObject, type FirstObject } from './object/first-object.ts';
export type {
  AttachOptions,
  ContainerProcess,
  ContainerUsage,
  ExecOptions,
  LogOptions,
  PodRuntime,
  PodUsage,
  TerminalSize,
  UsageReading,
} from './pod/pod-runtime.ts';
export type { ApiExtension, ExtensionVersion } from './request/api-extension.ts';
export type {
  ApiRequest,
  ApiRequestBody,
  ApiResponse,
  ApiResponseBody,
  User,
  WatchEvent,
} from './request/api-request.ts';
export type { DocumentLine } from './request/event-batches.ts';
export { type JsonDocument, toDocument } from './request/json-document.ts';
export { asksForWatch, parseRoute, type ResourceRoute, type Route } from './request/route.ts';
export {
  type CertificateOptions,
  createCertificates,
  loadCertificates,
  type TlsIdentity,
} from './tls/certificates.ts';
