/** What Express's `response.cookie` takes. */
export interface CookieOptions {
  readonly domain?: string;
  readonly encode?: (value: string) => string;
  readonly expires?: Date;
  readonly httpOnly?: boolean;
  /** Milliseconds. */
  readonly maxAge?: number;
  readonly partitioned?: boolean;
  readonly path?: string;
  readonly sameSite?: boolean | string;
  readonly secure?: boolean;
}

/** A Set-Cookie header (RFC 6265); objects are `j:` and JSON, as Express writes them. */
export function formatCookie(name: string, value: unknown, options: CookieOptions): string {
  if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name)) {
    throw new TypeError(`Cannot set cookie ${JSON.stringify(name)}: found a name that is no token`);
  }
  const text = typeof value === 'object' ? `j:${JSON.stringify(value)}` : String(value);
  const { maxAge, sameSite } = options;
  const flag = (isSet: boolean | undefined, word: string): string => (isSet === true ? word : '');
  return [
    `${name}=${(options.encode ?? encodeURIComponent)(text)}`,
    maxAge === undefined ? '' : `Max-Age=${Math.floor(maxAge / 1000)}`,
    options.domain === undefined ? '' : `Domain=${options.domain}`,
    `Path=${options.path ?? '/'}`,
    options.expires === undefined ? '' : `Expires=${options.expires.toUTCString()}`,
    flag(options.httpOnly, 'HttpOnly'),
    flag(options.secure, 'Secure'),
    flag(options.partitioned, 'Partitioned'),
    sameSite === undefined || sameSite === false ? '' : `SameSite=${sameSiteOf(sameSite)}`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

function sameSiteOf(value: boolean | string): string {
  const word = value === true ? 'strict' : String(value);
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
