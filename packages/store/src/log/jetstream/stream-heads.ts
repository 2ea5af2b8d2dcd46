import { hasCode, isJsonObject, jsonEqual } from '@fnlet/base';
import type { StreamOptions } from '../log.ts';
import { LogError } from '../log-error.ts';
import type { NatsLink } from './nats-link.ts';

/** What tells a stream from one that had its name before, and what it keeps. */
export interface StreamHead {
  readonly id: string;
  readonly options: StreamOptions;
}

/** The streams that there are, each as the one message of a subject with its name. */
export class StreamHeads {
  readonly #link: NatsLink;
  readonly #prefix: string;

  /** @param prefix What the subjects of all streams begin with. */
  constructor(link: NatsLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  /** The head of the stream with this name, made or changed when it is not so. */
  async open(name: string, options: StreamOptions | undefined): Promise<StreamHead> {
    for (;;) {
      const found = await this.#link.last(this.#subject(name));
      const known = found === undefined ? undefined : decodeHead(name, found.data);
      const isSame = options === undefined || jsonEqual(known?.options, options);
      if (known !== undefined && isSame) return known;
      const head = { id: known?.id ?? this.#link.newId(), options: options ?? {} };
      const data = Buffer.from(JSON.stringify(head));
      try {
        const expectedLast = found?.seq ?? 0;
        await this.#link.publish(this.#subject(name), data, { expectedLast, replaces: true });
        return head;
      } catch (error) {
        // Another process was faster: what it wrote holds.
        if (!hasCode(error, 'Conflict')) throw error;
      }
    }
  }

  async names(prefix: string): Promise<readonly string[]> {
    const subjects = await this.#link.subjects(`${this.#prefix}.*.head`);
    return subjects
      .map((subject) => subject.slice(this.#prefix.length + 1, -'.head'.length))
      .map((token) => Buffer.from(token, 'base64url').toString())
      .filter((name) => name.startsWith(prefix))
      .sort();
  }

  /** What the subjects of the stream with this head begin with. */
  subjectsOf(name: string, head: StreamHead): string {
    return `${this.#prefix}.${token(name)}.${head.id}`;
  }

  /** Removes the stream with everything that has its name. */
  remove(name: string): Promise<void> {
    return this.#link.purge(`${this.#prefix}.${token(name)}.>`);
  }

  #subject(name: string): string {
    return `${this.#prefix}.${token(name)}.head`;
  }
}

/** Any name as one token of a subject. */
export function token(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** @throws LogError `Broken` */
function decodeHead(name: string, data: Uint8Array): StreamHead {
  const head: unknown = JSON.parse(Buffer.from(data).toString());
  if (isJsonObject(head) && typeof head.id === 'string' && isJsonObject(head.options)) {
    return { id: head.id, options: head.options };
  }
  throw new LogError(
    'Broken',
    `Cannot open stream "${name}": found ${JSON.stringify(head)}, expected its head`,
  );
}
