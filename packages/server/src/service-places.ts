/**
 * Where names of Services lead, for parts of Fnlet itself: what they connect to is what a function
 * would. The Gateway is asked, as Runners ask it, so that everybody is told the same.
 *
 * I1. An answer holds for a moment, but not that nobody answers: whoever asks again waits for just
 *     that to change. At most one question about a Service and port is under way.
 */
import { type Clock, isJsonObject, type Random } from '@fnlet/base';
import type { FindService, NetworkPlace, ServiceRoute } from '@fnlet/executor';
import type { GatewayAddress } from './gateway-address.ts';
import { serviceAnswerBytesMax, serviceAskMs, servicePlaceMs, servicePlacesMax } from './limits.ts';
import { readServiceHost } from './service-host.ts';

export interface ServicePlacesOptions {
  /** Where the Gateway is reached from inside, once it listens. */
  readonly gateway: () => GatewayAddress | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** What the Gateway said. */
type Told =
  | { readonly kind: 'endpoints'; readonly endpoints: readonly NetworkPlace[] }
  | { readonly kind: 'nobody'; readonly message: string }
  | { readonly kind: 'none' };

interface Known {
  readonly untilMs: number;
  readonly told: Promise<Told>;
}

const none: Told = { kind: 'none' };

export function createServicePlaces({ gateway, clock, random }: ServicePlacesOptions): FindService {
  const known = new Map<string, Known>();
  const tell = (path: string, at: GatewayAddress): Promise<Told> => {
    const before = known.get(path);
    if (before !== undefined && before.untilMs > clock.monotonicMs()) return before.told;
    if (known.size >= servicePlacesMax) known.clear();
    const told = ask(at, path);
    const entry = { untilMs: clock.monotonicMs() + servicePlaceMs, told };
    known.set(path, entry);
    void told.then(({ kind }) => {
      if (kind === 'nobody' && known.get(path) === entry) known.delete(path);
    });
    return told;
  };
  return async ({ host, port }, signal): Promise<ServiceRoute | undefined> => {
    const service = readServiceHost(host);
    const at = gateway();
    if (service === undefined || at === undefined) return undefined;
    const told = await tell(`/-/routes/${service.namespace}/${service.name}/${port}`, at);
    signal.throwIfAborted();
    if (told.kind !== 'endpoints') return told.kind === 'nobody' ? told : undefined;
    const { endpoints } = told;
    const place = endpoints[Math.floor(random.next() * endpoints.length)];
    return place && { kind: 'place', place };
  };
}

/** Never rejects: without an answer such a name is the machine's, as all others are. */
function ask(gateway: GatewayAddress, path: string): Promise<Told> {
  return new Promise((resolve) => {
    // An import would load half of Node, for what hardly anybody uses.
    const { get } = process.getBuiltinModule('node:http');
    const headers = { accept: 'application/json' };
    const options = { ...gateway, path, headers, agent: false, timeout: serviceAskMs };
    const asking = get(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        if (text.length > serviceAnswerBytesMax) asking.destroy();
      });
      answer.once('error', () => resolve(none));
      answer.once('end', () => resolve(readAnswer(answer.statusCode, text, gateway)));
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(none));
    asking.once('close', () => resolve(none));
  });
}

function readAnswer(status: number | undefined, text: string, gateway: GatewayAddress): Told {
  const body = readObject(text);
  if (status === 503) {
    return { kind: 'nobody', message: String(body.message ?? 'nobody is ready there') };
  }
  if (status !== 200) return none;
  // A Function, or what else the Gateway answers for itself: it goes by the Host.
  if (!Array.isArray(body.endpoints)) return { kind: 'endpoints', endpoints: [gateway] };
  return { kind: 'endpoints', endpoints: body.endpoints.filter(isPlace) };
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isPlace(value: unknown): value is NetworkPlace {
  return isJsonObject(value) && typeof value.host === 'string' && typeof value.port === 'number';
}
