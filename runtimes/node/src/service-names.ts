/**
 * Names of Services inside a function: `<name>.<namespace>.svc.cluster.local`, and what a Pod may
 * leave out of it. Those of Functions lead to the Gateway, which wakes them and finds them by the
 * Host of the request; those of other Services to their endpoints. Every other name is the system's.
 */
import { EventEmitter, errorMonitor } from 'node:events';
import type { Socket } from 'node:net';
import type { ServiceAddress } from '@fnlet/invocation';
import { nodeModule } from './builtins.ts';
import {
  type Address,
  ServiceLookup,
  type ServicePort,
  type ServiceRoute,
} from './service-lookup.ts';
import { StandIns } from './stand-ins.ts';

/** Who asks. */
interface Caller {
  readonly namespace: string;
  /** Address of this Runner: the Gateway tells by it whose short name is meant. */
  readonly host: string;
}

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const cluster = '\\.svc(?:\\.cluster\\.local)?\\.?$';
const full = new RegExp(`^(${label})\\.(${label})${cluster}`, 'i');
const ofPod = new RegExp(`^(${label}\\.${label})\\.(${label})${cluster}`, 'i');
const short = new RegExp(`^(${label})(?:\\.(${label}))?$`, 'i');

/**
 * The Service that a host means, if there is one, to code in this namespace: as in a Pod, whose
 * resolver looks in the cluster first. A Pod of a Service, such as one of a StatefulSet, has the
 * name `<pod>.<service>`. `undefined` for what cannot be the name of a Service.
 */
export function readServiceName(
  host: string,
  namespace: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const lower = host.toLowerCase();
  const match = full.exec(lower) ?? ofPod.exec(lower) ?? short.exec(lower) ?? [];
  const [, name = '', given = namespace] = match;
  // No name of a Service begins with a digit (RFC 1035), and an address does.
  return name === '' || name === 'localhost' || /^\d/.test(name)
    ? undefined
    : { namespace: given, name };
}

/** From now on names of Services lead where they should. To be called once. */
export function resolveServiceNames(gateway: ServiceAddress, caller: Caller): void {
  const names = new ServiceNames(gateway, caller);
  names.installConnect();
  names.installLookup();
}

type Target = Readonly<Record<string, unknown>>;
type Anything = (...args: unknown[]) => unknown;

class ServiceNames {
  readonly #gateway: ServiceAddress;
  readonly #caller: Caller;
  readonly #lookup: ServiceLookup;
  readonly #standIns = new StandIns();

  constructor(gateway: ServiceAddress, caller: Caller) {
    this.#gateway = gateway;
    this.#caller = caller;
    this.#lookup = new ServiceLookup(gateway);
  }

  /** Stands in for the connecting of all sockets, of TLS and HTTP too. */
  installConnect(): void {
    const { prototype } = process.getBuiltinModule('node:net').Socket;
    const plain = prototype.connect;
    const names = this;
    function connect(this: Socket, ...args: unknown[]): unknown {
      const go = (to: unknown[]): unknown => Reflect.apply(plain, this, to);
      const target = readTarget(args);
      const service = target && names.#serviceOf(target);
      if (target === undefined || service === undefined) return go(args);
      const follow = (route: ServiceRoute): unknown => {
        if (route.kind === 'none') return go(args);
        const to = names.#choose(route);
        if (to === undefined) return refuse(this, target);
        if (route.kind === 'endpoints') {
          onError(this, () => names.#lookup.forget(service));
        }
        return go([{ ...target, ...to }, ...args.flatMap(callbackOf)]);
      };
      const route = names.#lookup.find(service);
      if (!(route instanceof Promise)) return follow(route);
      // What is written meanwhile waits, as it does for any connection.
      Object.assign(this, { connecting: true });
      void route.then((found) => {
        if (this.destroyed) return;
        // Node begins a socket anew when it gets its handle, and forgets that no more is to come.
        const isEnded = this.writableEnded;
        follow(found);
        if (isEnded) this.end();
      });
      return this;
    }
    Object.defineProperty(prototype, 'connect', { value: connect, writable: true });
  }

  /** Stands in for the resolver, for code that connects to the address that it finds. */
  installLookup(): void {
    const dns = process.getBuiltinModule('node:dns');
    this.#installLookup(dns);
    this.#installLookup(dns.promises);
    nodeModule.syncBuiltinESMExports();
  }

  #installLookup(owner: object): void {
    const own = Object.getOwnPropertyDescriptor(owner, 'lookup');
    const plain: Anything = own?.value;
    const lookup = (...args: unknown[]): unknown => {
      const [host, ...rest] = args;
      const service =
        typeof host === 'string' ? readServiceName(host, this.#caller.namespace) : undefined;
      if (service === undefined) return plain(...args);
      const follow = ({ kind }: ServiceRoute): unknown =>
        kind === 'none' ? plain(...args) : plain(this.#standIns.of(service), ...rest);
      const route = this.#lookup.find(service);
      return route instanceof Promise ? route.then(follow) : follow(route);
    };
    // What `util.promisify` goes by is among them.
    Object.defineProperties(lookup, Object.getOwnPropertyDescriptors(plain));
    Object.defineProperty(owner, 'lookup', { ...own, value: lookup });
  }

  #serviceOf({ host, path, port }: Target): ServicePort | undefined {
    // Node's own HTTP agent says null where there is no path of a socket.
    if (typeof host !== 'string' || (path !== undefined && path !== null)) return undefined;
    const service = this.#standIns.serviceAt(host) ?? readServiceName(host, this.#caller.namespace);
    const number = Number(port);
    return service && number > 0 && number < 65_536 ? { ...service, port: number } : undefined;
  }

  /** Where to connect to; `undefined` when there is nobody. */
  #choose(route: Exclude<ServiceRoute, { kind: 'none' }>): Partial<Target> | undefined {
    if (route.kind === 'endpoints') return chooseEndpoint(route.endpoints);
    const { host, port } = this.#gateway;
    // A loopback address of its own can only be told to somebody on the loopback interface.
    const isLoopback = host.startsWith('127.') && this.#caller.host.startsWith('127.');
    return { host, port, ...(isLoopback && { localAddress: this.#caller.host }) };
  }
}

function chooseEndpoint(endpoints: readonly Address[]): Target | undefined {
  const chosen = endpoints[Math.floor(Math.random() * endpoints.length)];
  return chosen && { ...chosen };
}

/** The options of a call of `connect`, in whichever form it is; `undefined` for a path. */
function readTarget(args: readonly unknown[]): Target | undefined {
  const [first, second] = args;
  // As `net.connect` hands them on: options and callback in one array.
  const options = Array.isArray(first) ? first[0] : first;
  if (typeof options === 'object' && options !== null) return { ...options };
  const isPort = typeof options === 'number' || /^\d+$/.test(String(options));
  return isPort && typeof second === 'string' ? { port: options, host: second } : undefined;
}

function callbackOf(argument: unknown): unknown[] {
  if (typeof argument === 'function') return [argument];
  return Array.isArray(argument) ? argument.flatMap(callbackOf) : [];
}

/** Hears of an error without taking it from whoever listens for errors, or from nobody. */
function onError(socket: Socket, listener: () => void): void {
  Reflect.apply(EventEmitter.prototype.once, socket, [errorMonitor, listener]);
}

/** What a cluster does with a connection to a Service that nobody answers for. */
function refuse(socket: Socket, { host, port }: Target): Socket {
  Object.assign(socket, { connecting: true });
  const error = new Error(`connect ECONNREFUSED ${String(host)}:${String(port)}`);
  const about = { code: 'ECONNREFUSED', syscall: 'connect', address: host, port: Number(port) };
  process.nextTick(() => socket.destroy(Object.assign(error, about)));
  return socket;
}
