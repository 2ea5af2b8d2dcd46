import { type JsonObject, type Random, randomInt } from '@fnlet/base';
import type { Change, ChangeListener, Store } from '@fnlet/store';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { objectsPrefix } from '../../object/object-keys.ts';
import { NumberPool } from './number-pool.ts';
import type { ServiceNumberSource } from './service-number-source.ts';

/** 10.96.0.0/16: Kubernetes' customary network of Services. */
const network = '10.96.';
const addresses = 256 * 254;
/** Kubernetes' customary range of node ports. */
const nodePortMin = 30_000;
const nodePortMax = 32_767;

const prefix = `${objectsPrefix}core/services/`;

/**
 * The cluster addresses and node ports that Services have, so that a new one need not look at all
 * others.
 *
 * I1. Nothing is read, and nobody listened to, before the first number is asked for.
 * I2. From then on it knows what the stored Services have, as of their last committed change: what
 *     was refused, only tried, or failed has no part in it.
 */
export class ServiceNumbers implements ServiceNumberSource, ChangeListener {
  readonly #store: Store;
  readonly #addresses = new NumberPool(addresses, drawAddress);
  readonly #nodePorts = new NumberPool(nodePortMax - nodePortMin + 1, drawNodePort);
  #leaveStore: (() => void) | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  takeAddress(random: Random): string | undefined {
    this.#read();
    return this.#addresses.take(random);
  }

  takeNodePort(random: Random, besides: ReadonlySet<number>): number | undefined {
    this.#read();
    return this.#nodePorts.take(random, besides);
  }

  hasAddress(address: string): boolean {
    this.#read();
    return this.#addresses.has(address);
  }

  hasNodePort(nodePort: number): boolean {
    this.#read();
    return this.#nodePorts.has(nodePort);
  }

  changed({ value, previous }: Change): void {
    if (previous !== undefined) this.#remove(previous);
    if (value !== undefined) this.#add(value);
  }

  ended(): void {
    this.close();
  }

  close(): void {
    this.#leaveStore?.();
  }

  #read(): void {
    if (this.#leaveStore !== undefined) return;
    this.#leaveStore = this.#store.subscribe(prefix, this);
    for (const { value } of this.#store.scan(prefix)) this.#add(value);
  }

  #add(service: JsonObject): void {
    const { address, nodePorts } = numbersOf(service);
    if (address !== undefined) this.#addresses.add(address);
    for (const nodePort of nodePorts) this.#nodePorts.add(nodePort);
  }

  #remove(service: JsonObject): void {
    const { address, nodePorts } = numbersOf(service);
    if (address !== undefined) this.#addresses.remove(address);
    for (const nodePort of nodePorts) this.#nodePorts.remove(nodePort);
  }
}

interface Numbers {
  readonly address: string | undefined;
  readonly nodePorts: readonly number[];
}

/** What a Service has of the network and of the range. */
export function numbersOf(service: JsonObject): Numbers {
  const spec = objectField(service, 'spec');
  const address = textField(spec, 'clusterIP');
  const nodePorts = listField(spec, 'ports').map(({ nodePort }) => nodePort);
  return {
    address: address.startsWith(network) ? address : undefined,
    nodePorts: nodePorts.filter(isNodePort),
  };
}

function isNodePort(port: unknown): port is number {
  return typeof port === 'number' && port >= nodePortMin && port <= nodePortMax;
}

function drawAddress(random: Random): string {
  return `${network}${randomInt(random, 256)}.${1 + randomInt(random, 254)}`;
}

function drawNodePort(random: Random): number {
  return nodePortMin + randomInt(random, nodePortMax - nodePortMin + 1);
}
