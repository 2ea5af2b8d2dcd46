/**
 * How the API server of a cluster shows that it passes a request on, and for whom: a client
 * certificate of an authority that it tells of in kube-system/extension-apiserver-authentication,
 * and headers (Kubernetes, "Configure the Aggregation Layer").
 */
import type { User } from '@fnlet/apiserver/extension';
import { FnletError, isJsonObject } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';

/** Where the API server writes it down. */
export const frontProxyConfigMap: ObjectKey = {
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
};

/** Whom to believe, and where it says who asks. Names of headers are in lower case. */
export interface FrontProxyTerms {
  /** The authorities of its certificate, in PEM. */
  readonly caPem: string;
  /** Common names that its certificate may have; none: any. */
  readonly allowedNames: readonly string[];
  readonly userHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** What is known of the other end of a connection. */
export interface PeerCertificate {
  /** Whether one of the authorities signed it, and it holds now. */
  readonly isTrusted: boolean;
  readonly commonName: string | undefined;
}

/**
 * Reads the data of that ConfigMap.
 *
 * @throws FnletError `NoFrontProxy` where the API server passes nothing on, or cannot be known
 */
export function parseFrontProxyTerms(data: unknown): FrontProxyTerms {
  const found = isJsonObject(data) ? data : {};
  const caPem = found['requestheader-client-ca-file'];
  if (typeof caPem !== 'string' || caPem.trim() === '') throw noFrontProxy('no authority');
  const names = (key: string): readonly string[] => readNames(key, found[key]);
  const headers = (key: string): readonly string[] => names(key).map((name) => name.toLowerCase());
  const userHeaders = headers('requestheader-username-headers');
  if (userHeaders.length === 0) throw noFrontProxy('no header with the name of a user');
  return {
    ...{ caPem, userHeaders },
    allowedNames: names('requestheader-allowed-names'),
    groupHeaders: headers('requestheader-group-headers'),
    extraPrefixes: headers('requestheader-extra-headers-prefix'),
  };
}

/**
 * Who asks, as the API server says; `undefined` for what does not come from it.
 *
 * @param headers all values of each, by names in lower case
 */
export function identifyCaller(
  terms: FrontProxyTerms,
  peer: PeerCertificate,
  headers: Readonly<Record<string, readonly string[] | undefined>>,
): User | undefined {
  const { allowedNames, userHeaders, groupHeaders, extraPrefixes } = terms;
  const { isTrusted, commonName = '' } = peer;
  if (!isTrusted || (allowedNames.length > 0 && !allowedNames.includes(commonName))) {
    return undefined;
  }
  const name = userHeaders.flatMap((header) => headers[header] ?? []).find((text) => text !== '');
  if (name === undefined) return undefined;
  const groups = groupHeaders.flatMap((header) => headers[header] ?? []);
  return { name, groups, extra: readExtra(extraPrefixes, headers) };
}

function readExtra(
  prefixes: readonly string[],
  headers: Readonly<Record<string, readonly string[] | undefined>>,
): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {};
  for (const [header, values = []] of Object.entries(headers)) {
    const prefix = prefixes.find((known) => header.startsWith(known));
    if (prefix === undefined) continue;
    extra[decodeKey(header.slice(prefix.length))] = values;
  }
  return extra;
}

/** Keys are percent-encoded where a header could not hold them. */
function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Each is a JSON list in a text. */
function readNames(key: string, text: unknown): readonly string[] {
  if (text === undefined || text === '') return [];
  try {
    const value: unknown = JSON.parse(String(text));
    if (Array.isArray(value)) return value.map(String);
  } catch {
    // Told below, as what is JSON and no list.
  }
  throw noFrontProxy(`"${key}" is no list`);
}

function noFrontProxy(found: string): FnletError {
  const { namespace, name } = frontProxyConfigMap;
  const message = `Cannot use ConfigMap "${namespace}/${name}": found ${found}`;
  return new FnletError('NoFrontProxy', `${message}, expected whom the API server passes on as`, {
    remedy: 'The API server needs its flags --requestheader-… and --proxy-client-cert-file',
  });
}
