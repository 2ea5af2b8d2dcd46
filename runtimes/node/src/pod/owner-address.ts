import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { podPaths, podProtocol } from '@fnlet/invocation';
import { fs } from '../builtins.ts';
import { limits } from '../limits.ts';

export interface OwnerAddressOptions {
  /** Origin, such as `https://fnlet-controller.fnlet-system.svc:8443`. */
  readonly url: string;
  /** Where the kubelet keeps the token of this Pod up to date. */
  readonly tokenFile: string;
  /** Certificate of the authority that signed the owner's. */
  readonly authorityFile: string;
}

/** Where a Runner in a Pod reaches its owner, and how it shows who it is. */
export class OwnerAddress {
  readonly #options: OwnerAddressOptions;

  constructor(options: OwnerAddressOptions) {
    this.#options = options;
  }

  /**
   * Connects for good.
   *
   * @throws Error when there is nobody, or nobody who takes it
   */
  connect(): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const upgrade = { connection: 'Upgrade', upgrade: podProtocol };
      const asking = this.#ask(podPaths.channel, upgrade, reject);
      asking.once('upgrade', (_, socket, head) => {
        socket.setTimeout(0);
        // An owner that vanished without a word is noticed: its machine may have.
        socket.setKeepAlive(true, limits.ownerKeepAliveMs);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asking.once('response', (response) => {
        response.resume();
        reject(new Error(`the owner answered ${response.statusCode}`));
      });
      asking.end();
    });
  }

  /**
   * Fetches what is there.
   *
   * @throws Error
   */
  get(path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asking = this.#ask(path, {}, reject);
      asking.once('response', (response) => {
        if (response.statusCode === 200) resolve(response);
        else {
          response.resume();
          reject(new Error(`the owner answered ${response.statusCode}`));
        }
      });
      asking.end();
    });
  }

  #ask(path: string, headers: Readonly<Record<string, string>>, reject: (error: Error) => void) {
    const { request } = process.getBuiltinModule('node:https');
    const { url, tokenFile, authorityFile } = this.#options;
    // Read each time: the kubelet renews both.
    const authorization = `Bearer ${fs.readFileSync(tokenFile, 'utf8').trim()}`;
    const asking = request(new URL(path, url), {
      agent: false,
      ca: fs.readFileSync(authorityFile),
      headers: { ...headers, authorization },
      timeout: limits.ownerSilenceMs,
    });
    asking.once('error', reject);
    asking.once('timeout', () => asking.destroy(new Error('the owner says nothing')));
    return asking;
  }
}
