/**
 * Passes requests for versions of groups that APIServices name on to who answers for them
 * (kube-aggregator). Who asks, and whether they may, has been decided here by then.
 */
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { errorMessage } from '@fnlet/base';
import type { Transport } from '@fnlet/client';
import { type KubeObject, statusError } from '@fnlet/machinery';
import type { ApiContext } from '../api-context.ts';
import { readObject } from '../object/objects.ts';
import { chooseEndpoint } from '../pod/proxy-target.ts';
import type { ApiRequest, ApiResponse, User } from '../request/api-request.ts';
import { exchange } from '../streams/connect-proxy.ts';
import { ApiServices, type RemoteVersion } from './api-services.ts';
import {
  callerHeaders,
  type FrontProxyIdentity,
  isAboutCaller,
  tellFrontProxy,
} from './front-proxy.ts';

type AggregatorPorts = Pick<
  ApiContext,
  'store' | 'catalog' | 'clock' | 'random' | 'logger' | 'podRuntime'
>;

export class Aggregator {
  readonly #ports: AggregatorPorts;
  readonly #transport: () => Transport;
  readonly #services: ApiServices;
  #identity: Promise<FrontProxyIdentity> | undefined;

  /** @param transport reads and writes what is told of this server, as the administrator */
  constructor(ports: AggregatorPorts, transport: () => Transport) {
    this.#ports = ports;
    this.#transport = transport;
    this.#services = new ApiServices(ports.store, () => {
      // Those others know it by what is told before the first request comes.
      queueMicrotask(() => this.prepare());
    });
  }

  /** Tells of this server where there is somebody to whom it passes requests on. */
  prepare(): void {
    if (this.#services.list().length === 0) return;
    this.#identify().catch((error: unknown) => {
      const message = `Cannot tell of the front proxy: ${errorMessage(error)}`;
      this.#ports.logger.warn(message);
    });
  }

  /** Who answers for a version of a group, where that is not this server. */
  find(group: string, version: string): RemoteVersion | undefined {
    return this.#services.find(group, version);
  }

  /** What others answer for, for discovery. */
  list(group?: string): readonly RemoteVersion[] {
    return this.#services.list(group);
  }

  /**
   * The answer of who answers for it.
   *
   * @throws StatusError `ServiceUnavailable`
   */
  async passOn(remote: RemoteVersion, request: ApiRequest, user: User): Promise<ApiResponse> {
    const host = `${remote.service.name}.${remote.service.namespace}.svc`;
    const query = request.search ?? request.query.toString();
    const path = `${request.path}${query === '' ? '' : `?${query}`}`;
    const kept = Object.entries(request.headers).filter(([name]) => !isAboutCaller(name));
    const headers = { ...Object.fromEntries(kept), host };
    const connection = await this.#connect(remote, host, request.signal);
    return exchange(connection, { ...request, headers }, { path, headers: callerHeaders(user) });
  }

  close(): void {
    this.#services.close();
  }

  #identify(): Promise<FrontProxyIdentity> {
    this.#identity ??= tellFrontProxy(this.#transport(), this.#ports.clock).catch(
      (error: unknown) => {
        this.#identity = undefined;
        throw error;
      },
    );
    return this.#identity;
  }

  async #connect(remote: RemoteVersion, host: string, signal: AbortSignal): Promise<Duplex> {
    try {
      const identity = await this.#identify();
      const socket = await this.#dial(remote, signal);
      return await secure(socket, remote, { host, identity });
    } catch (error) {
      const name = `${remote.version}.${remote.group}`;
      const text = `error trying to reach service of APIService "${name}": ${errorMessage(error)}`;
      throw statusError('ServiceUnavailable', text);
    }
  }

  /** To one of the endpoints of the Service: a Pod that runs here, or an address. */
  async #dial({ service }: RemoteVersion, signal: AbortSignal): Promise<Duplex> {
    const { catalog, random, podRuntime } = this.#ports;
    const { namespace, name, port } = service;
    const find = (plural: string, wanted: string): KubeObject | undefined => {
      const kind = catalog.findStored('', plural);
      return kind && readObject(this.#ports, kind, { namespace, name: wanted })?.object;
    };
    const found = find('services', name);
    if (found === undefined) throw new Error(`service "${name}" not found`);
    const chosen = chooseEndpoint(found, find('endpoints', name), { port: String(port), random });
    const pod = chosen.pod === undefined ? undefined : find('pods', chosen.pod);
    if (pod !== undefined && podRuntime !== undefined) {
      return podRuntime.portForward(pod, chosen.port, signal);
    }
    return dialAddress(chosen.address, chosen.port, signal);
  }
}

function dialAddress(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host, port, signal });
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

function secure(
  socket: Duplex,
  { caPem, insecureSkipTlsVerify }: RemoteVersion,
  { host, identity }: { readonly host: string; readonly identity: FrontProxyIdentity },
): Promise<TLSSocket> {
  const { certPem: cert, keyPem: key } = identity;
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      ...{ socket, servername: host, cert, key, rejectUnauthorized: !insecureSkipTlsVerify },
      ...(caPem === undefined ? {} : { ca: caPem }),
    });
    secured.once('secureConnect', () => {
      secured.off('error', reject);
      resolve(secured);
    });
    secured.once('error', (error) => {
      socket.destroy();
      reject(error);
    });
  });
}
