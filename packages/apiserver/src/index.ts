export type {
  ApiRequest,
  ApiRequestBody,
  ApiResponse,
  ApiResponseBody,
  DocumentLine,
  User,
  WatchEvent,
} from './api-request.ts';
export { type ApiServer, type ApiServerOptions, createApiServer } from './api-server.ts';
export { ApiServerError, type ApiServerErrorCode } from './api-server-error.ts';
export { adminUser, type TokenIdentity } from './auth/authentication.ts';
export {
  type CertificateOptions,
  createCertificates,
  loadCertificates,
  type TlsIdentity,
} from './certificates.ts';
export { awaitFirstObject, type FirstObject } from './first-object.ts';
export { type HttpsFront, type ListenHttpsOptions, listenHttps } from './http/https-front.ts';
export { createInProcessTransport } from './in-process-transport.ts';
export { type JsonDocument, toDocument } from './json-document.ts';
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
} from './pod-runtime.ts';
export { parseRoute, type ResourceRoute, type Route } from './route.ts';
export { serverVersion } from './server-version.ts';
