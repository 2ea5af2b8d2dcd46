/**
 * Names of Services inside a function: `<name>.<namespace>.svc.cluster.local`, and what a Pod may
 * leave out of it, lead to the Gateway, which knows all Functions, wakes them, and finds them by
 * the Host of the request. Every other name is the system's.
 */
import type { ServiceAddress } from '@fnlet/invocation';
import { http } from './builtins.ts';
import { limits } from './limits.ts';

/** Who asks. */
interface Caller {
  readonly namespace: string;
  /** Address of this Runner: the Gateway tells by it whose short name is meant. */
  readonly host: string;
}

/** What a host in a URL is. */
export type HostKind =
  | { readonly kind: 'service' }
  /** A Service if there is one, as in a Pod, whose resolver looks in the cluster first. */
  | { readonly kind: 'short'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'other' };

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const full = new RegExp(`^${label}\\.${label}\\.svc(?:\\.cluster\\.local)?\\.?$`, 'i');
const short = new RegExp(`^(${label})(?:\\.(${label}))?$`, 'i');

/** Tells what a host is that code in this namespace connects to. */
export function classifyHost(host: string, namespace: string): HostKind {
  if (full.test(host)) return { kind: 'service' };
  const [, name = '', given = namespace] = short.exec(host.toLowerCase()) ?? [];
  // No name of a Service begins with a digit (RFC 1035), and an address does.
  if (name === '' || name === 'localhost' || /^\d/.test(name)) return { kind: 'other' };
  return { kind: 'short', name, namespace: given };
}

/** From now on connections to Services go to the Gateway. To be called once. */
export function resolveServiceNames(gateway: ServiceAddress, caller: Caller): void {
  const { Socket } = process.getBuiltinModule('node:net');
  const plain = Socket.prototype.connect;
  const known = new KnownNames(gateway);
  function connect(this: import('node:net').Socket, ...args: unknown[]): unknown {
    const target = readTarget(args);
    const host = target === undefined ? undefined : hostOf(target);
    const kind = host === undefined ? undefined : classifyHost(host, caller.namespace);
    const go = (to: unknown[]): unknown => Reflect.apply(plain, this, to);
    if (target === undefined || kind === undefined || kind.kind === 'other') return go(args);
    const redirected = (): unknown[] => [
      { ...target, ...gateway, ...localAddress(gateway, caller) },
      ...args.flatMap(callbackOf),
    ];
    if (kind.kind === 'service') return go(redirected());
    // What is written meanwhile waits, as it does for any connection.
    Object.assign(this, { connecting: true });
    void known.has(`${kind.namespace}/${kind.name}`).then((isKnown) => {
      if (!this.destroyed) go(isKnown ? redirected() : args);
    });
    return this;
  }
  Object.defineProperty(Socket.prototype, 'connect', { value: connect, writable: true });
}

type Target = Readonly<Record<string, unknown>>;

/** The options of a call of `connect`, in whichever form it is; `undefined` for a path. */
function readTarget(args: readonly unknown[]): Target | undefined {
  const [first, second] = args;
  // As `net.connect` hands them on: options and callback in one array.
  const options = Array.isArray(first) ? first[0] : first;
  if (typeof options === 'object' && options !== null) return { ...options };
  const isPort = typeof options === 'number' || /^\d+$/.test(String(options));
  return isPort && typeof second === 'string' ? { port: options, host: second } : undefined;
}

function hostOf({ host, path }: Target): string | undefined {
  // Node's own HTTP agent says null where there is no path of a socket.
  const isPath = path !== undefined && path !== null;
  return typeof host === 'string' && !isPath ? host : undefined;
}

function callbackOf(argument: unknown): unknown[] {
  if (typeof argument === 'function') return [argument];
  return Array.isArray(argument) ? argument.flatMap(callbackOf) : [];
}

// A loopback address of its own can only be told to somebody on the loopback interface.
function localAddress({ host }: ServiceAddress, caller: Caller): { localAddress?: string } {
  const isLoopback = host.startsWith('127.') && caller.host.startsWith('127.');
  return isLoopback ? { localAddress: caller.host } : {};
}

/** Asks the Gateway which Functions there are, and remembers the answer for a moment. */
class KnownNames {
  readonly #gateway: ServiceAddress;
  readonly #answers = new Map<
    string,
    { readonly until: number; readonly known: Promise<boolean> }
  >();

  constructor(gateway: ServiceAddress) {
    this.#gateway = gateway;
  }

  has(key: string): Promise<boolean> {
    const now = performance.now();
    const before = this.#answers.get(key);
    if (before !== undefined && before.until > now) return before.known;
    if (this.#answers.size >= limits.serviceNamesMax) this.#answers.clear();
    const known = this.#ask(key);
    this.#answers.set(key, { until: now + limits.serviceNameMs, known });
    return known;
  }

  #ask(key: string): Promise<boolean> {
    return new Promise((resolve) => {
      const options = { ...this.#gateway, path: `/-/routes/${key}`, agent: false };
      const asked = http.get(options, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      });
      asked.on('error', () => resolve(false));
    });
  }
}
