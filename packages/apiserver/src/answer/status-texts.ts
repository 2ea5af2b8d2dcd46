import type { ResourceType, StatusCause, StatusError, StatusReason } from '@fnlet/machinery';
import { StatusError as KubeStatusError, statusError } from '@fnlet/machinery';

// The words of k8s.io/apimachinery, api/errors: kubectl prints them verbatim.

type Resource = Pick<ResourceType, 'group' | 'plural'>;
type Kind = Pick<ResourceType, 'group' | 'kind'>;

/** `widgets.example.com`, or `configmaps` in the core group. */
export function qualifiedResource(type: Resource): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

function resourceDetails(
  type: Resource,
  name: string,
): { name: string; group?: string; kind: string } {
  return { name, ...groupOf(type), kind: type.plural };
}

function groupOf(type: { readonly group: string }): { group?: string } {
  return type.group === '' ? {} : { group: type.group };
}

export function notFound(type: Resource, name: string): StatusError {
  const message = `${qualifiedResource(type)} "${name}" not found`;
  return statusError('NotFound', message, resourceDetails(type, name));
}

/** The path names no resource that is served. */
export function unknownResource(): StatusError {
  return statusError('NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return statusError('MethodNotAllowed', message, {});
}

export function alreadyExists(type: Resource, name: string): StatusError {
  const message = `${qualifiedResource(type)} "${name}" already exists`;
  return statusError('AlreadyExists', message, resourceDetails(type, name));
}

/** `generateName` found no free name within its tries. */
export function generatedNameExists(type: Resource, name: string): StatusError {
  const text = 'already exists, the server was not able to generate a unique name for the object';
  const message = `${qualifiedResource(type)} "${name}" ${text}`;
  return statusError('AlreadyExists', message, {
    ...resourceDetails(type, name),
    retryAfterSeconds: 1,
  });
}

export function conflict(type: Resource, name: string, text: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedResource(type)} "${name}": ${text}`;
  return statusError('Conflict', message, resourceDetails(type, name));
}

/** Somebody else wrote the object since it was read. */
export function modified(type: Resource, name: string): StatusError {
  const text = 'the object has been modified; please apply your changes to the latest version';
  return conflict(type, name, `${text} and try again`);
}

/** A precondition of a delete does not hold; unlike other conflicts it names the kind. */
export function preconditionFailed(type: Kind, name: string, text: string): StatusError {
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const message = `Operation cannot be fulfilled on ${kind} "${name}": ${text}`;
  return statusError('Conflict', message, { name, ...groupOf(type), kind: type.kind });
}

export function forbidden(
  type: Resource,
  name: string,
  { text, causes }: { readonly text: string; readonly causes?: readonly StatusCause[] },
): StatusError {
  const message = `${qualifiedResource(type)} "${name}" is forbidden: ${text}`;
  const details = { ...resourceDetails(type, name), ...(causes === undefined ? {} : { causes }) };
  return statusError('Forbidden', message, details);
}

export function badRequest(message: string): StatusError {
  return statusError('BadRequest', message);
}

export function internalError(text: string): StatusError {
  const message = `Internal error occurred: ${text}`;
  return statusError('InternalError', message, { causes: [{ message: text }] });
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const text = 'the body of the request was in an unknown format';
  const list = accepted.join(', ');
  return statusError('UnsupportedMediaType', `${text} - accepted media types include: ${list}`);
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  const list = accepted.join(', ');
  return statusError('NotAcceptable', `only the following media types are accepted: ${list}`);
}

/** The route of a builtin kind answers in no type that the client takes (go-restful). */
export function noRepresentation(available: readonly string[]): StatusError {
  const text = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  return statusError('NotAcceptable', text, {});
}

/** The route of a builtin kind takes no body of this type (go-restful). */
export function noSuchMediaType(): StatusError {
  return statusError('UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/** An object was asked for in the shape of a list, or a list in that of an object. */
export function otherShape(
  asked: string,
  found: { readonly type: string; readonly isList: boolean },
): StatusError {
  const text = found.isList ? 'is a list' : 'is not a list';
  return statusError(
    'NotAcceptable',
    `you requested ${asked}, but the requested object ${text} (*${found.type})`,
  );
}

export function notImplemented(text: string): StatusError {
  return statusError('NotImplemented', text);
}

/** A resourceVersion that this server has not reached yet. */
export function futureResourceVersion(asked: number, current: number): StatusError {
  const text = 'Too large resource version';
  return statusError('Timeout', `Timeout: ${text}: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: text }],
    retryAfterSeconds: 1,
  });
}

/** The history before this point is gone. `next` continues a list at the current state. */
export function expired(message: string, next?: string): StatusError {
  const status = statusError('Expired', message).status;
  if (next === undefined) return new KubeStatusError(status);
  return new KubeStatusError({ ...status, metadata: { continue: next } });
}

/** A failure that has a code but, in kube-apiserver, no reason. */
export function plainFailure(code: number, message: string): StatusError {
  return new KubeStatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code,
  });
}

/** Whether the thrown value is a Status with this reason. */
export function hasReason(error: unknown, reason: StatusReason): error is StatusError {
  return error instanceof KubeStatusError && error.status.reason === reason;
}
