/** Signatures of AWS, version 4, of POST requests to the root of a host. */
import { createHash, createHmac } from 'node:crypto';

/** Who signs. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Goes with keys that are lent for a time. */
  readonly sessionToken?: string;
}

/** What a signature is good for. */
export interface AwsScope {
  readonly region: string;
  /** Such as `kinesis`. */
  readonly service: string;
}

export interface AwsRequest {
  readonly host: string;
  /** Names in lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * The headers of the request with those that sign it.
 *
 * @param nowMs the time that the signature tells; a server takes it for a few minutes
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signAwsRequest(
  { host, headers, body }: AwsRequest,
  { credentials, scope }: { readonly credentials: AwsCredentials; readonly scope: AwsScope },
  nowMs: number,
): Readonly<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = new Date(nowMs).toISOString().replace(/[-:]|[.]\d+/g, '');
  const date = time.slice(0, 8);
  const told: Readonly<Record<string, string>> = {
    ...headers,
    host,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(told).sort();
  const lines = names.map((name) => `${name}:${(told[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
  const signed = names.join(';');
  const canonical = ['POST', '/', '', lines.join(''), signed, sha256Hex(body)].join('\n');
  const place = `${date}/${scope.region}/${scope.service}/aws4_request`;
  const text = [algorithm, time, place, sha256Hex(canonical)].join('\n');
  const steps = [date, scope.region, scope.service, 'aws4_request', text];
  const signature = steps.reduce<Uint8Array>(
    (key, step) => hmac(key, step),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  const proof = `Credential=${accessKeyId}/${place}, SignedHeaders=${signed}`;
  return {
    ...told,
    authorization: `${algorithm} ${proof}, Signature=${Buffer.from(signature).toString('hex')}`,
  };
}

function hmac(key: Uint8Array, text: string): Uint8Array {
  return createHmac('sha256', key).update(text).digest();
}

function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
