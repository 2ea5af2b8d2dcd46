import type { Writable } from 'node:stream';
import { TextDecoder } from 'node:util';

/** Prints the logs of several Instances to one place, whole lines only, each with its origin. */
export class LogPrinter {
  readonly #output: Pick<Writable, 'write'>;
  readonly #prefixed: boolean;
  readonly #pending = new Map<string, { readonly decoder: TextDecoder; rest: string }>();

  constructor(output: Pick<Writable, 'write'>, { prefixed }: { readonly prefixed: boolean }) {
    this.#output = output;
    this.#prefixed = prefixed;
  }

  /** Takes the next bytes of an Instance's log; they may end anywhere. */
  write(instance: string, chunk: Uint8Array): void {
    const pending = this.#pending.get(instance) ?? { decoder: new TextDecoder(), rest: '' };
    this.#pending.set(instance, pending);
    const lines = (pending.rest + pending.decoder.decode(chunk, { stream: true })).split('\n');
    pending.rest = lines.pop() ?? '';
    for (const line of lines) this.#print(instance, line);
  }

  /** Prints what is left of an Instance that has ended in the middle of a line. */
  end(instance: string): void {
    const rest = this.#pending.get(instance)?.rest ?? '';
    this.#pending.delete(instance);
    if (rest !== '') this.#print(instance, rest);
  }

  #print(instance: string, line: string): void {
    this.#output.write(this.#prefixed ? `${instance} ${line}\n` : `${line}\n`);
  }
}
