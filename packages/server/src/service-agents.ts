import type { Agent } from 'node:http';
import type { FindService } from '@fnlet/executor';
import { serviceAskMs } from './limits.ts';
import { readServiceHost } from './service-host.ts';

/** Chooses what connects for a request of Fnlet itself; `undefined` leaves it to Node. */
export type AgentOf = (url: string) => Agent | undefined;

/**
 * Agents that connect to Services by their names. The Host, and the name that TLS asks for, stay as
 * they are; connections are kept for the next request, as Node's own are.
 */
export function createServiceAgents(find: FindService): AgentOf {
  const agents = new Map<string, Agent>();
  return (text) => {
    const url = URL.parse(text);
    if (url === null || readServiceHost(url.hostname) === undefined) return undefined;
    const agent = agents.get(url.protocol) ?? createServiceAgent(url.protocol, find);
    agents.set(url.protocol, agent);
    return agent;
  };
}

function createServiceAgent(protocol: string, find: FindService): Agent {
  // An import would load half of Node, for what hardly anybody uses.
  const module = protocol === 'https:' ? 'node:https' : 'node:http';
  const agent = new (process.getBuiltinModule(module).Agent)({ keepAlive: true });
  const connect = agent.createConnection.bind(agent);
  const createConnection: Agent['createConnection'] = (options, connected = () => {}) => {
    // Node's types know no callback without a socket.
    const fail = (error: unknown): void => Reflect.apply(connected, undefined, [error]);
    const asked = { host: String(options.host), port: Number(options.port) };
    find(asked, AbortSignal.timeout(serviceAskMs)).then((route) => {
      if (route?.kind === 'nobody') return fail(new Error(route.message));
      const socket = connect({ ...options, ...route?.place });
      return socket ? connected(null, socket) : fail(new Error('no connection was made'));
    }, fail);
    return undefined;
  };
  return Object.assign(agent, { createConnection });
}
