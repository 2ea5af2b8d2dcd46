import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Compatibility, parseRunnerCommand, type Specialisation } from '@fnlet/invocation';
import { FunctionServer } from './function-server.ts';
import { InstanceLog } from './instance-log.ts';
import { loadFunction } from './load-function.ts';
import type { ModuleHooks } from './module-hooks.ts';
import { serveFunction } from './served-function.ts';

/** Where and with what a Runner rehearses. */
export interface Rehearsal {
  /** A Unix socket of its own. */
  readonly socketPath: string;
  readonly hooks: ModuleHooks;
  /** Whether somebody waits by now: then it ends early, between two steps. */
  readonly isAwaited: () => boolean;
}

/**
 * Does, while a Runner is warm and nobody waits, what is slow at first use: reads a specialisation,
 * loads modules through our hooks, takes connections, parses requests, calls handlers, answers. The
 * functions that are called lie in the folder `rehearsal` and have a server that nobody else sees.
 */
export async function rehearse({ socketPath, hooks, isAwaited }: Rehearsal): Promise<void> {
  // The clock that measures the loading; Node loads what is behind this global at its first use.
  performance.now();
  await import('@fnlet/sdk');
  const server = new FunctionServer(new InstanceLog());
  await server.listenOnSocket(socketPath);
  try {
    for (const rehearsal of rehearsals) {
      if (isAwaited()) break;
      const specialisation = specialisationOf(rehearsal);
      parseRunnerCommand({ type: 'specialise', specialisation });
      const loaded = await loadFunction(specialisation, hooks, () => {});
      if (loaded.kind === 'failed' || isAwaited()) break;
      server.serve(await serveFunction(specialisation, loaded.handler));
      await callOnce(socketPath, rehearsal.call ?? eventCall);
    }
    // Called, it would write to the access log.
    if (!isAwaited()) await import('./kubeless-style.ts');
    // What operators import: without it, a change would wait for it first of all.
    if (!isAwaited()) await import('@fnlet/sdk/operator');
  } finally {
    await server.drain(0);
    process.title = 'fnlet warm';
  }
}

/** A call that is rehearsed. */
interface RehearsedCall {
  readonly headers: readonly string[];
  readonly body: string;
}

interface PlannedRehearsal {
  readonly folder: string;
  readonly compatibility?: Compatibility;
  /** Default: with an event. */
  readonly call?: RehearsedCall;
}

const eventCall: RehearsedCall = { headers: [], body: '{}' };

/** What the hub asks an operator; see docs/operator-contract.md. */
const operatorCall: RehearsedCall = {
  headers: ['Fnlet-Operator-Contract: 1'],
  body: JSON.stringify({
    ...{ contract: 1, operator: 'rehearsal/operator', what: 'reconcile', run: 'rehearsal' },
    ...{ now: '2000-01-01T00:00:00Z', deadline: '2000-01-01T00:00:01Z' },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'rehearsal' } },
    ...{ children: [], related: [], sent: { uid: 'rehearsal' } },
  }),
};

// More than one: V8 compiles a regular expression when it is used for the second time.
const rehearsals: readonly PlannedRehearsal[] = [
  { folder: 'web' },
  { folder: 'event' },
  { folder: 'commonjs' },
  { folder: 'commonjs', compatibility: 'kyma' },
  { folder: 'operator', call: operatorCall },
];

async function callOnce(socketPath: string, { headers, body }: RehearsedCall): Promise<void> {
  const socket = connect(socketPath);
  // Whoever ends the Runner meanwhile is right to do so.
  socket.on('error', () => {});
  const request = [
    'POST /?a=b HTTP/1.1',
    'Host: rehearsal',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ];
  socket.end(request.join('\r\n'));
  socket.resume();
  await once(socket, 'close');
}

function specialisationOf({ folder, compatibility }: PlannedRehearsal): Specialisation {
  return {
    namespace: 'rehearsal',
    function: folder,
    revision: folder,
    instance: folder,
    runtime: 'rehearsal',
    sourceDirectory: fileURLToPath(new URL(`../rehearsal/${folder}`, import.meta.url)),
    handler: 'default',
    ...(compatibility === undefined ? {} : { compatibility }),
    env: {},
    limits: { timeoutMs: 1000, bodyBytesMax: 1000, drainMs: 0 },
  };
}
