import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { CallbackPort } from '@fnlet/eventing/async';
import type { CallbackRule } from './callback-rule.ts';

/**
 * Sends callbacks, to whom the rule allows. A name is judged by the addresses that are connected
 * to, so that one which changes its mind after it was looked at gains nothing.
 */
export function createCallbackPort(rule: CallbackRule): CallbackPort {
  return {
    refuse: (url) => rule.refuse(url),
    send: ({ url, headers, body }, signal) =>
      new Promise((resolve, reject) => {
        // An import would load half of Node, for what hardly anybody uses.
        const module = url.startsWith('https:') ? 'node:https' : 'node:http';
        const { request } = process.getBuiltinModule(module);
        const { hostname, port, protocol } = new URL(url);
        const connected = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
        const options = {
          method: 'POST',
          headers: [...headers.flat(), 'Host', new URL(url).host],
          lookup: guarded(rule, connected),
          // A connection of another call was judged by the rule, too; but it may be long ago.
          agent: false as const,
          signal,
        };
        const sending = request(hostname === '' ? url : new URL(url), options, (response) => {
          const { statusCode = 502 } = response;
          response.once('error', reject);
          response.once('end', () => resolve(statusCode));
          response.resume();
        });
        sending.once('error', reject);
        sending.end(body);
      }),
  };
}

function guarded(rule: CallbackRule, port: number): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const allowed = addresses.filter(({ address }) => rule.allows(hostname, port, address));
      const [first] = allowed;
      if (first === undefined) {
        const found = addresses.map(({ address }) => address).join(', ');
        callback(new Error(`${hostname} is ${found}, no address of the public internet`), []);
      } else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
