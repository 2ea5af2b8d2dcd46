/** What senders of webhooks prove that they know a secret with, over the body byte for byte. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** A request as it came: names of headers in lower case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Who signs how:
 *
 * - `github`: `X-Hub-Signature-256: sha256=<hex HMAC of the body>`
 * - `gitea`, Forgejo too: `X-Gitea-Signature`, `X-Forgejo-Signature`: the hex HMAC of the body
 * - `standard`: `webhook-signature: v1,<base64 HMAC of id.timestamp.body>`, whose key is the base64
 *   behind `whsec_` (Standard Webhooks)
 * - `gitlab`: as `standard` with a signing token, else `X-Gitlab-Token: <the secret itself>`
 * - `stripe`: `Stripe-Signature: t=<seconds>,v1=<hex HMAC of timestamp.body>`
 * - `slack`: `X-Slack-Signature: v0=<hex HMAC of v0:timestamp:body>`
 * - `hmac`: an HMAC of the body in a header of its own
 */
export type SignatureScheme =
  | { readonly kind: 'github' | 'gitea' | 'gitlab' | 'standard' | 'stripe' | 'slack' }
  | {
      readonly kind: 'hmac';
      /** In lower case. */
      readonly header: string;
      readonly algorithm: 'sha1' | 'sha256' | 'sha512';
      readonly encoding: 'hex' | 'base64';
      /** What stands before the signature. */
      readonly prefix: string;
    };

export interface WebhookSignature {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  /**
   * How far the time in what was signed may be away. Default: any time. What has none in it is of
   * any time.
   */
  readonly toleranceMs?: number;
}

/**
 * Whether a request was made by somebody who knows the secret. Takes a time that tells nothing
 * about where a wrong signature differs; with an empty secret nothing is signed.
 */
export function isSigned(
  request: SignedRequest,
  { scheme, secret, toleranceMs = Number.POSITIVE_INFINITY }: WebhookSignature,
  nowMs: number,
): boolean {
  if (secret === '') return false;
  const signing = { ...request, secret };
  const isTimely = (seconds: string): boolean =>
    Math.abs(nowMs - Number(seconds) * 1_000) <= toleranceMs;
  switch (scheme.kind) {
    case 'github':
      return isEqual(header(request, 'x-hub-signature-256'), `sha256=${hmac(signing)}`);
    case 'gitea': {
      const forgejo = header(request, 'x-forgejo-signature');
      return isEqual(forgejo ?? header(request, 'x-gitea-signature'), hmac(signing));
    }
    case 'gitlab':
      return header(request, 'webhook-signature') === undefined
        ? isEqual(header(request, 'x-gitlab-token'), secret)
        : isStandard(signing, isTimely);
    case 'standard':
      return isStandard(signing, isTimely);
    case 'stripe':
      return isStripe(signing, isTimely);
    case 'slack':
      return isSlack(signing, isTimely);
    case 'hmac': {
      const { algorithm, encoding, prefix } = scheme;
      const made = createHmac(algorithm, secret).update(request.body).digest(encoding);
      return isEqual(header(request, scheme.header), `${prefix}${made}`);
    }
  }
}

interface Signing extends SignedRequest {
  readonly secret: string;
}

type IsTimely = (seconds: string) => boolean;

function isStandard(signing: Signing, isTimely: IsTimely): boolean {
  const key = Buffer.from(signing.secret.replace(/^whsec_/, ''), 'base64');
  // A secret that is no base64 at all would be a key that everybody knows: the empty one.
  if (key.length === 0) return false;
  const id = header(signing, 'webhook-id') ?? '';
  const timestamp = header(signing, 'webhook-timestamp') ?? '';
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(signing.body);
  const expected = `v1,${signed.digest('base64')}`;
  const given = header(signing, 'webhook-signature')?.split(' ') ?? [];
  return given.some((each) => isEqual(each, expected)) && isTimely(timestamp);
}

function isStripe(signing: Signing, isTimely: IsTimely): boolean {
  const given = (header(signing, 'stripe-signature') ?? '').split(',');
  const valuesOf = (name: string): readonly string[] =>
    given.filter((each) => each.startsWith(`${name}=`)).map((each) => each.slice(name.length + 1));
  const [timestamp = ''] = valuesOf('t');
  const expected = hmac(signing, `${timestamp}.`);
  return valuesOf('v1').some((each) => isEqual(each, expected)) && isTimely(timestamp);
}

function isSlack(signing: Signing, isTimely: IsTimely): boolean {
  const timestamp = header(signing, 'x-slack-request-timestamp') ?? '';
  const expected = `v0=${hmac(signing, `v0:${timestamp}:`)}`;
  return isEqual(header(signing, 'x-slack-signature'), expected) && isTimely(timestamp);
}

/** In hexadecimal digits, of what stands before the body and the body. */
function hmac({ secret, body }: Signing, before = ''): string {
  return createHmac('sha256', secret).update(before).update(body).digest('hex');
}

function isEqual(given: string | undefined, expected: string): boolean {
  if (given === undefined) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A header that came twice is as good as none: who checks and who reads might look at another. */
function header({ headers }: SignedRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
