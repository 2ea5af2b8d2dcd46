import type { ApiRequest } from './api-request.ts';

/** What Node tells of the headers of a request, over HTTP/2 or HTTP/1.1. */
interface ReceivedHeaders {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

/** The headers of a request as an {@link ApiRequest} has them. */
export function headersOf({ headers, rawHeaders }: ReceivedHeaders): ApiRequest['headers'] {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':') || name.startsWith('impersonate-')) continue;
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  const { ':authority': authority } = headers;
  if (typeof authority === 'string') flat.host ??= authority;
  // Node has joined the values of a header; those of these must stay apart.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!name.startsWith('impersonate-')) continue;
    const value = rawHeaders[i + 1] ?? '';
    flat[name] = flat[name] === undefined ? value : `${flat[name]}\n${value}`;
  }
  return flat;
}
