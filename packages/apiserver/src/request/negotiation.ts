import { noRepresentation, notAcceptable } from '../answer/status-texts.ts';

/** An encoding of answers. */
export type MediaType = 'application/json' | 'application/yaml';

/** Another shape of the same content that a client prefers, such as a Table. */
export interface Transform {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What the client and this server agreed on. */
export interface Negotiated {
  readonly mediaType: MediaType;
  readonly transform: Transform | undefined;
}

const served: readonly MediaType[] = ['application/json', 'application/yaml'];

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly weight: number;
}

/** The shapes that objects and lists can be answered in (KEP-555 of Tables: meta.k8s.io). */
export function isMetaTransform(transform: Transform): boolean {
  if (transform.group !== 'meta.k8s.io') return false;
  if (!['v1', 'v1beta1'].includes(transform.version)) return false;
  return ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].includes(transform.kind);
}

/**
 * The first clause of an Accept header that can be served; `allows` tells which shapes the asked
 * content has. Of builtin kinds, only types that are written out are looked for at first: so it is
 * where kube-apiserver's routes choose by them (go-restful), which know no `application/*`.
 *
 * @throws StatusError `NotAcceptable`
 */
export function negotiate(
  accept: string | undefined,
  allows: (transform: Transform) => boolean,
  { isRouted = false }: { readonly isRouted?: boolean } = {},
): Negotiated {
  if (accept === undefined || accept.trim() === '') {
    return { mediaType: 'application/json', transform: undefined };
  }
  const clauses = accept.split(',').map(parseClause);
  const isNamed = ({ type }: Clause): boolean => type === '*/*' || isServed(type);
  if (isRouted && !clauses.some(isNamed)) throw noRepresentation(served);
  for (const clause of clauses.toSorted((a, b) => b.weight - a.weight)) {
    const mediaType = servedType(clause.type);
    if (mediaType === undefined) continue;
    const kind = clause.parameters.get('as');
    if (kind === undefined) return { mediaType, transform: undefined };
    const group = clause.parameters.get('g') ?? '';
    const transform = { kind, group, version: clause.parameters.get('v') ?? '' };
    if (allows(transform)) return { mediaType, transform };
  }
  throw notAcceptable(served);
}

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    if (equals > 0) parameters.set(part.slice(0, equals), part.slice(equals + 1));
  }
  const weight = Number(parameters.get('q') ?? '1');
  return { type: type.toLowerCase(), parameters, weight: Number.isNaN(weight) ? 0 : weight };
}

function servedType(type: string): MediaType | undefined {
  if (type === '*/*' || type === 'application/*') return 'application/json';
  return isServed(type) ? type : undefined;
}

function isServed(type: string): type is MediaType {
  return served.some((mediaType) => mediaType === type);
}
