import { isJsonObject, type Random } from '@fnlet/base';

/** A request that calls a function as Kubeless's command does. */
export interface PlannedCall {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** GET without data, else POST; only an object in JSON is called JSON. */
export function planCall(
  data: string | undefined,
  { random, nowMs }: { readonly random: Random; readonly nowMs: number },
): PlannedCall {
  const bytes = Uint8Array.from({ length: 11 }, () => Math.floor(random.next() * 256));
  const type = isObjectText(data) ? 'application/json' : 'application/x-www-form-urlencoded';
  const headers = {
    'event-id': Buffer.from(bytes).toString('base64url'),
    'event-time': new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    'event-namespace': 'cli.kubeless.io',
    'event-type': type,
    'content-type': type,
  };
  return data === undefined ? { method: 'GET', headers } : { method: 'POST', headers, body: data };
}

function isObjectText(data = ''): boolean {
  try {
    return isJsonObject(JSON.parse(data));
  } catch {
    return false;
  }
}
