import type { Writable } from 'node:stream';
import { TextDecoder } from 'node:util';
import type { DocumentFormat } from './cli-context.ts';

/** How a line of an Instance is printed, its line break included. */
export type LineFormat = (instance: string, line: string) => string;

/** The line alone: only one Instance writes. */
const plainLine: LineFormat = (_, line) => `${line}\n`;
/** With the name of the Instance before it. */
const prefixedLine: LineFormat = (instance, line) => `${instance} ${line}\n`;
/** One JSON object a line, or one YAML document: what reads it need not wait for the end. */
const documentLines: Readonly<Record<DocumentFormat, LineFormat>> = {
  json: (instance, line) => `${JSON.stringify({ instance, line })}\n`,
  // YAML takes every JSON string as it is.
  yaml: (instance, line) => `---\ninstance: ${instance}\nline: ${JSON.stringify(line)}\n`,
};

/** Documents where they are asked for; else text, with its origin where there are several. */
export function decideLineFormat(
  output: DocumentFormat | undefined,
  prefixed: boolean,
): LineFormat {
  if (output !== undefined) return documentLines[output];
  return prefixed ? prefixedLine : plainLine;
}

/** Prints the logs of several Instances to one place, whole lines only, each with its origin. */
export class LogPrinter {
  readonly #output: Pick<Writable, 'write'>;
  readonly #format: LineFormat;
  readonly #pending = new Map<string, { readonly decoder: TextDecoder; rest: string }>();

  constructor(output: Pick<Writable, 'write'>, format: LineFormat) {
    this.#output = output;
    this.#format = format;
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
    this.#output.write(this.#format(instance, line));
  }
}
