import { FnletError } from '@fnlet/base';
import { type ParentReference, parseParentReference } from './plan-http-route.ts';

/** How requests of Triggers are led to the Gateway from outside. */
export interface RouteSettings {
  /** `undefined`: no Ingresses are made. */
  readonly ingress:
    | { readonly className: string; readonly annotations: Readonly<Record<string, string>> }
    | undefined;
  /** `undefined`: no HTTPRoutes are made. */
  readonly parent: ParentReference | undefined;
}

/**
 * Reads the settings of a controller, where `none` stands for nothing.
 *
 * @throws FnletError `InvalidConfig`
 */
export function resolveRouteSettings(texts: {
  readonly ingressClass: string;
  readonly ingressAnnotations: string;
  readonly httpRouteParent: string;
}): RouteSettings {
  const { ingressClass, ingressAnnotations, httpRouteParent } = texts;
  return {
    ingress:
      ingressClass === 'none'
        ? undefined
        : { className: ingressClass, annotations: parseAnnotations(ingressAnnotations) },
    parent: httpRouteParent === 'none' ? undefined : parseParentReference(httpRouteParent),
  };
}

/** One `name=value` a line. */
function parseAnnotations(text: string): Readonly<Record<string, string>> {
  if (text === 'none') return {};
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      const message = `Cannot read the annotation "${line}": expected name=value`;
      throw new FnletError('InvalidConfig', message);
    }),
  );
}
