/**
 * The objects that a Trigger follows, as they were when it was last told of them: kept in the log,
 * so that a change shows what was before it, and an object that went unseen is missed. In memory is
 * where each is kept.
 *
 * I1. With each change is kept how far the history was followed: a change that was seen is not seen
 *     again. It would be told as another one than it was, as what was known is later already.
 */
import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { appendParts, type LogEntry, type LogStream } from '@fnlet/store/log';
import type { SourceContext } from '../source.ts';
import { partOf } from './change-event.ts';
import { kubernetesLimits } from './limits.ts';

interface Kept {
  readonly sequence: number;
  readonly resourceVersion: string;
}

export class ObjectIndex {
  readonly #stream: LogStream;
  readonly #kept = new Map<string, Kept>();
  #seen: string | undefined;

  private constructor(stream: LogStream) {
    this.#stream = stream;
  }

  static async open(context: Pick<SourceContext, 'stream'>): Promise<ObjectIndex> {
    const index = new ObjectIndex(await context.stream({ newestOfKey: true }));
    await index.#restore();
    return index;
  }

  get uids(): Iterable<string> {
    return this.#kept.keys();
  }

  /** The version of an object that is kept. */
  versionOf(uid: string): string | undefined {
    return this.#kept.get(uid)?.resourceVersion;
  }

  /** The object as it is kept. */
  async read(uid: string): Promise<KubeObject | undefined> {
    const kept = this.#kept.get(uid);
    if (kept === undefined) return undefined;
    const [record] = await this.#stream.read(kept.sequence, { limit: 1 });
    return record?.sequence === kept.sequence ? readObject(record.payload) : undefined;
  }

  /** The version of the newest change that was kept since it was cleared. */
  get seen(): string | undefined {
    return this.#seen;
  }

  /**
   * Keeps objects of a list as they are now; of one that is larger than a log takes, its metadata.
   * Resolves once that is durable.
   */
  async keep(objects: readonly KubeObject[]): Promise<void> {
    const kept = objects.map((object) => ({ object, entry: entryOf(object) }));
    const bounds = { bytesMax: this.#stream.appendBytesMax };
    for (const part of appendParts(kept, ({ entry }) => entry, bounds)) {
      const { sequences } = await this.#stream.append(part.map(({ entry }) => entry));
      for (const [place, { object }] of part.entries()) this.#place(object, sequences[place]);
    }
  }

  /** Keeps an object that has changed, and that the change was seen (I1). */
  async change(object: KubeObject): Promise<void> {
    const { resourceVersion = '' } = object.metadata;
    const { sequences } = await this.#stream.append([entryOf(object), seenEntry(resourceVersion)]);
    this.#place(object, sequences[0]);
    this.#seen = resourceVersion;
  }

  /** Forgets an object that is gone with this version, which was seen (I1). */
  async remove(uid: string, resourceVersion: string): Promise<void> {
    // Before: that it is known for too long does no harm.
    await this.#stream.append([seenEntry(resourceVersion)]);
    this.#seen = resourceVersion;
    await this.forget(uid);
  }

  /** Forgets an object that is in no list any more. */
  async forget(uid: string): Promise<void> {
    const kept = this.#kept.get(uid);
    if (kept === undefined) return;
    await this.#stream.remove([kept.sequence]);
    this.#kept.delete(uid);
  }

  async clear(): Promise<void> {
    const { last } = await this.#stream.size();
    await this.#stream.trim(last + 1);
    this.#kept.clear();
    this.#seen = undefined;
  }

  #place({ metadata }: KubeObject, sequence: number | undefined): void {
    const { uid = '', resourceVersion = '' } = metadata;
    if (sequence !== undefined) this.#kept.set(uid, { sequence, resourceVersion });
  }

  async #restore(): Promise<void> {
    const { readRecords: limit } = kubernetesLimits;
    for (let from = 0; ; ) {
      const records = await this.#stream.read(from, { limit });
      for (const { sequence, key, payload } of records) {
        if (key === seenKey) this.#seen = Buffer.from(payload).toString();
        else this.#place(readObject(payload), sequence);
        from = sequence + 1;
      }
      if (records.length === 0) return;
    }
  }
}

/** No uid is empty. */
const seenKey = '';

function seenEntry(resourceVersion: string): LogEntry {
  return { key: seenKey, payload: Buffer.from(resourceVersion) };
}

function entryOf(object: KubeObject): LogEntry {
  const { uid: key = '' } = object.metadata;
  return { key, payload: payloadOf(object) };
}

function payloadOf(object: KubeObject): Uint8Array {
  const payload = Buffer.from(JSON.stringify(object));
  if (payload.length <= kubernetesLimits.dataBytesMax) return payload;
  return Buffer.from(JSON.stringify(partOf(object)));
}

function readObject(payload: Uint8Array): KubeObject {
  const value: unknown = JSON.parse(Buffer.from(payload).toString());
  if (isKubeObject(value)) return value;
  throw new Error('Cannot read a kept object: found something else, expected what was kept');
}

function isKubeObject(value: unknown): value is KubeObject {
  return isJsonObject(value) && isJsonObject(value.metadata) && typeof value.kind === 'string';
}
