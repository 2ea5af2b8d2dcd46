import type { Duplex } from 'node:stream';
import type { KubeObject } from '@fnlet/machinery';
import { badRequest, notImplemented } from '../answer/status-texts.ts';
import { toStatus } from '../answer/to-status.ts';
import { forwardedPortsMax } from '../limits.ts';
import { requireObject } from '../object/objects.ts';
import { chooseContainer } from '../pod/pod-container.ts';
import type { AttachOptions, ContainerProcess, PodRuntime } from '../pod/pod-runtime.ts';
import type { ApiResponse } from '../request/api-request.ts';
import { parseFlag } from '../request/request-options.ts';
import { type ResourceRequest, routeKey } from '../request/resource-request.ts';
import { type CommandSession, serveSpdyCommand, serveWebSocketCommand } from './serve-command.ts';
import {
  type PortForwardSession,
  serveSpdyPortForward,
  serveTunneledPortForward,
  serveWebSocketPortForward,
} from './serve-port-forward.ts';
import { spdyCommandProtocols } from './spdy-command.ts';
import { portForwardProtocol } from './spdy-port-forward.ts';
import {
  offeredStreamProtocols,
  refusedStreamProtocol,
  spdyResponse,
  upgradeKind,
  webSocketProtocol,
  webSocketResponse,
} from './upgrade.ts';
import { type ChannelProtocol, channelProtocols } from './websocket-channels.ts';
import { negotiateProtocol } from './websocket-handshake.ts';
import { tunnelProtocol } from './websocket-tunnel.ts';

/**
 * GET or POST of `pods/exec`: runs a command beside what runs in a container.
 *
 * @throws StatusError `NotFound`, `BadRequest`, `NotImplemented` (this server runs no Pods)
 */
export async function execPod(asked: ResourceRequest): Promise<ApiResponse> {
  const { pod, runtime } = findPod(asked);
  const options = parseAttachOptions(asked, pod, false);
  const command = asked.request.query.getAll('command');
  if (command.length === 0)
    throw badRequest('you must specify at least 1 command for the container');
  return connectCommand(asked, options, () => runtime.exec(pod, { ...options, command }));
}

/** GET or POST of `pods/attach`: connects to what runs in a container. @see execPod */
export async function attachPod(asked: ResourceRequest): Promise<ApiResponse> {
  const { pod, runtime } = findPod(asked);
  const options = parseAttachOptions(asked, pod, true);
  return connectCommand(asked, options, () => runtime.attach(pod, options));
}

/** GET or POST of `pods/portforward`: TCP connections to the ports of a Pod. @see execPod */
export async function forwardPodPorts(asked: ResourceRequest): Promise<ApiResponse> {
  const { pod, runtime } = findPod(asked);
  const { request, context } = asked;
  const connect = (port: number): Promise<Duplex> => runtime.portForward(pod, port, request.signal);
  const session: PortForwardSession = { clock: context.clock, connect };
  if (upgradeKind(request) === 'spdy') {
    const offered = offeredStreamProtocols(request);
    const known = [portForwardProtocol];
    if (offered.length > 0 && negotiateProtocol(offered, known) === undefined) {
      return refusedStreamProtocol(offered, known);
    }
    return spdyResponse(portForwardProtocol, (socket) => serveSpdyPortForward(socket, session));
  }
  const name = webSocketProtocol(request, [tunnelProtocol, ...channelNames]);
  if (name === tunnelProtocol) {
    return webSocketResponse(request, name, (socket) => serveTunneledPortForward(socket, session));
  }
  const details = { protocol: channelProtocol(name), ports: parsePorts(request.query) };
  return webSocketResponse(request, name, (socket) =>
    serveWebSocketPortForward(socket, session, details),
  );
}

function findPod({ context, resource, route }: ResourceRequest): {
  readonly pod: KubeObject;
  readonly runtime: PodRuntime;
} {
  const { object: pod } = requireObject(context, resource, routeKey(route));
  const { podRuntime: runtime } = context;
  if (runtime === undefined) {
    throw notImplemented('this API server has no runtime for Pods: there is nothing to connect to');
  }
  return { pod, runtime };
}

function parseAttachOptions(
  { request: { query, signal } }: ResourceRequest,
  pod: KubeObject,
  isAttach: boolean,
): AttachOptions {
  const flag = (name: string): boolean => parseFlag(query, name) ?? false;
  const container = chooseContainer(pod, query);
  const tty = flag('tty');
  // Attaching takes output unless told otherwise (core/v1 PodAttachOptions defaults).
  const isWanted = (name: string): boolean => parseFlag(query, name) ?? isAttach;
  const [stdin, stdout, stderr] = [flag('stdin'), isWanted('stdout'), isWanted('stderr')];
  if (!stdin && !stdout && !stderr) {
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  }
  // One terminal has one output; kubectl asks for both in some versions.
  return { container, tty, stdin, stdout, stderr: stderr && !tty, signal };
}

function connectCommand(
  { request, context }: ResourceRequest,
  wanted: AttachOptions,
  start: () => Promise<ContainerProcess>,
): ApiResponse {
  const { clock, logger } = context;
  const toEnd: CommandSession['toEnd'] = (error) => ({
    kind: 'failed',
    status: toStatus(error, logger),
  });
  const session: CommandSession = { clock, wanted, start, toEnd };
  if (upgradeKind(request) === 'spdy') {
    const offered = offeredStreamProtocols(request);
    // Clients of the first version did not name it.
    const asked = offered.length === 0 ? ['channel.k8s.io'] : offered;
    const protocol = negotiateProtocol(asked, spdyCommandProtocols);
    if (protocol === undefined) return refusedStreamProtocol(offered, spdyCommandProtocols);
    return spdyResponse(protocol, (socket) => serveSpdyCommand(socket, session, protocol));
  }
  const name = webSocketProtocol(request, channelNames);
  return webSocketResponse(request, name, (socket) =>
    serveWebSocketCommand(socket, session, channelProtocol(name)),
  );
}

const channelNames = channelProtocols.map(({ name }) => name).filter((name) => name !== '');

function channelProtocol(name: string): ChannelProtocol {
  const found = channelProtocols.find((protocol) => protocol.name === name);
  if (found === undefined) throw badRequest(`unknown protocol ${name}`);
  return found;
}

function parsePorts(query: URLSearchParams): readonly number[] {
  const ports = query.getAll('ports').flatMap((text) => text.split(',').map(Number));
  const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536;
  if (ports.length === 0) throw badRequest('query parameter "ports" is required');
  if (ports.length > forwardedPortsMax || !ports.every(isPort)) {
    throw badRequest(`query parameter "ports" must name at most ${forwardedPortsMax} ports`);
  }
  return ports;
}
