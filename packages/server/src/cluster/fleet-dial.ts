import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '@fnlet/base';
import { fleetPath, fleetProtocol } from './fleet-message.ts';
import { fleetHelloMs } from './limits.ts';

export interface FleetDialOptions {
  /** Origin of the controller, such as `https://fnlet-controller.fnlet-system.svc:8444`. */
  readonly controller: string;
  /** Holds the token that shows who this is; read each time. */
  readonly tokenFile: string;
  /** Holds the certificate of the authority that signed the controller's; read each time. */
  readonly authorityFile: string;
  readonly clock: Clock;
  /** Told by which authority a connection is trusted, in PEM. Default: nobody. */
  readonly onAuthority?: (pem: string) => void;
}

/** A way to the controller; rejects when there is none just now. */
export type FleetDial = (signal: AbortSignal) => Promise<Duplex>;

/** Dials the controller that leads, over TLS. */
export function createFleetDial(options: FleetDialOptions): FleetDial {
  const { controller, tokenFile, authorityFile, clock, onAuthority } = options;
  return async (signal) => {
    const [token, ca] = await Promise.all([
      readFile(tokenFile, 'utf8'),
      readFile(authorityFile, 'utf8'),
    ]);
    const socket = await upgrade({ controller, token: token.trim(), ca, clock }, signal);
    onAuthority?.(ca);
    return socket;
  };
}

function upgrade(
  asked: {
    readonly controller: string;
    readonly token: string;
    readonly ca: string;
    readonly clock: Clock;
  },
  signal: AbortSignal,
): Promise<Duplex> {
  const { controller, token, ca, clock } = asked;
  return new Promise<Duplex>((resolve, reject) => {
    const asking = request(new URL(fleetPath, controller), {
      agent: false,
      ca,
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        connection: 'Upgrade',
        upgrade: fleetProtocol,
      },
    });
    asking.once('upgrade', (_, socket, head) => {
      late.cancel();
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asking.once('response', (response) => {
      late.cancel();
      response.resume();
      reject(new Error(`the controller answered ${response.statusCode}`));
    });
    const late = clock.after(fleetHelloMs, () => {
      asking.destroy(new Error('the controller says nothing'));
    });
    asking.once('error', (error) => {
      late.cancel();
      reject(error);
    });
    asking.end();
  });
}
