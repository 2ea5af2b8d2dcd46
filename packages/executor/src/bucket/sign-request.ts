/**
 * AWS Signature Version 4, as S3 and those who speak like it check it (AWS: "Signature Calculations
 * for the Authorization Header: Transferring Payload in a Single Chunk").
 */
import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that were lent for a while. */
  readonly sessionToken?: string | undefined;
}

export interface SignableRequest {
  readonly method: string;
  /** With its path and query as they are sent, see {@link encodePath} and {@link encodeQuery}. */
  readonly url: URL;
  /** Headers that are to be covered besides, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** sha256 of the body in hex, of nothing where there is none. */
  readonly payloadSha256: string;
}

export interface SigningTerms {
  readonly credentials: AwsCredentials;
  readonly region: string;
  /** Milliseconds since 1970; servers take what is less than 15 minutes off. */
  readonly now: number;
}

const algorithm = 'AWS4-HMAC-SHA256';
const service = 's3';

/** The headers with which a request is sent. */
export function signRequest(
  { method, url, headers, payloadSha256 }: SignableRequest,
  { credentials, region, now }: SigningTerms,
): Readonly<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': payloadSha256,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(signed).sort();
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1).split('&').sort().join('&'),
    ...names.map((name) => `${name}:${signed[name]?.trim()}`),
    '',
    names.join(';'),
    payloadSha256,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = [algorithm, time, scope, digest].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce(
    (secret: string | Buffer, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const credential = `Credential=${accessKeyId}/${scope}`;
  const authorization = [
    credential,
    `SignedHeaders=${names.join(';')}`,
    `Signature=${signature}`,
  ].join(',');
  return { ...signed, authorization: `${algorithm} ${authorization}` };
}

/** A path as S3 counts it into signatures: all but unreserved characters of RFC 3986 in percent. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeStrictly).join('/');
}

/** A query, likewise; each parameter has a value, if only an empty one. */
export function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join('&');
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
