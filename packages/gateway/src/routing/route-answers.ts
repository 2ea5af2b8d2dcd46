import type { Answer } from '../answer.ts';
import type { RequestHead } from '../http1/request-head.ts';
import type { Route } from '../route.ts';
import type { HttpRouteTarget } from './http-route.ts';

/** Path of a request without its query. */
export function pathOf({ target }: RequestHead): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/**
 * What the Gateway says about itself, under a path that no namespace can have.
 *
 * @param isCurrent whether there can be no route but those that it knows
 */
export function ownAnswer(head: RequestHead, isCurrent: boolean): Answer {
  const path = pathOf(head);
  if (path === '/-/healthz' || path === '/-/readyz') {
    return { status: 200, code: 'Healthy', message: 'ok' };
  }
  return isCurrent ? routeNotFound(path) : routesUnknown(path);
}

function routesUnknown(path: string): Answer {
  const message = `No function is known at ${path} yet: the controller is not heard, try again`;
  return { status: 503, code: 'RoutesUnknown', message, retryAfterSeconds: 1 };
}

export function routeNotFound(path: string): Answer {
  const message =
    `No function answers at ${path}: call /<namespace>/<function>/, or set ` +
    'Host: <function>.<namespace>; kubectl get functions,triggers -A lists what there is';
  return { status: 404, code: 'RouteNotFound', message };
}

export const routeFound: Answer = {
  status: 200,
  code: 'RouteFound',
  message: 'a function answers there',
};

export const ambiguousPath: Answer = {
  status: 400,
  code: 'BadRequest',
  message:
    'Cannot route the request: its path can be read as another one, expected no dot segments, ' +
    'and single slashes where it matters',
};

export function methodNotAllowed(method: string, allow: string): Answer {
  const message = `${method} is not allowed here, but ${allow}`;
  return { status: 405, code: 'MethodNotAllowed', message, fields: [['Allow', allow]] };
}

export function functionNotFound({ namespace, function: name }: HttpRouteTarget): Answer {
  const message = `This route leads to Function ${namespace}/${name}, which does not exist`;
  return { status: 503, code: 'FunctionNotFound', message, retryAfterSeconds: 5 };
}

export function tagNotFound({ namespace, function: name, tag }: HttpRouteTarget): Answer {
  const message = `This route leads to the tag "${tag}", which Function ${namespace}/${name} has not`;
  return { status: 503, code: 'TagNotFound', message, retryAfterSeconds: 5 };
}

export function unavailable({ namespace, function: name, unavailable: why }: Route): Answer {
  const reason = why === undefined ? 'it was never ready' : `${why.reason}: ${why.message}`;
  const message = `Function ${namespace}/${name} is not ready: ${oneLine(reason)}`;
  return { status: 503, code: 'RouteUnavailable', message, retryAfterSeconds: 5 };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
