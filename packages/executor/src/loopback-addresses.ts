import { type Random, randomInt } from '@fnlet/base';

/** Where a Runner is told to listen. Port 0 lets the system choose one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Hands out an address of its own to each Runner. */
export interface LoopbackAddresses {
  next(): ListenAddress;
  /** The fixed port cannot be had here, for example because something listens on all addresses. */
  useFreePorts(): void;
}

// 127.64.0.0/10: on Linux all of 127.0.0.0/8 is the loopback interface; its lower part, where
// resolvers and development servers live, stays free.
const firstAddress = 0x7f_40_00_00;
const addressCount = 0x40_00_00;
const podPort = 8080;

/**
 * On Linux counts up from a random place, so that two servers on one machine rarely meet;
 * elsewhere there is only 127.0.0.1.
 */
export function createLoopbackAddresses(platform: string, random: Random): LoopbackAddresses {
  let offset = randomInt(random, addressCount);
  let port = podPort;
  return {
    next() {
      if (platform !== 'linux') return { host: '127.0.0.1', port: 0 };
      offset = (offset + 1) % addressCount;
      return { host: formatAddress(firstAddress + offset), port };
    },
    useFreePorts() {
      port = 0;
    },
  };
}

function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}
