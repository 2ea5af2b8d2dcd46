// A door of its own: whoever answers for a group elsewhere need not load a whole API server.
export { statusCode, toStatus } from './answer/to-status.ts';
export type { ApiExtension } from './request/api-extension.ts';
export {
  type ApiRequest,
  type ApiResponse,
  type ApiResponseBody,
  jsonResponse,
  type User,
} from './request/api-request.ts';
export { toDocument } from './request/json-document.ts';
export { asksForWatch, parseRoute, type ResourceRoute, type Route } from './request/route.ts';
