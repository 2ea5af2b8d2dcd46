import { isJsonObject } from '@fnlet/base';
import { terminalSizeBytesMax } from '../limits.ts';
import type { TerminalSize } from '../pod/pod-runtime.ts';

/**
 * The sizes that a client sends on its resize channel, as JSON objects one after another, with or
 * without white space between them. What is not a size is skipped.
 */
export async function* readTerminalSizes(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<TerminalSize, void, undefined> {
  let text = '';
  for await (const chunk of source) {
    text += Buffer.from(chunk).toString('latin1');
    for (;;) {
      const end = text.indexOf('}');
      if (end < 0) break;
      const size = parseTerminalSize(text.slice(0, end + 1));
      text = text.slice(end + 1);
      if (size !== undefined) yield size;
    }
    if (text.length > terminalSizeBytesMax) text = '';
  }
}

function parseTerminalSize(text: string): TerminalSize | undefined {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { Width: columns, Height: rows } = value;
  return isDimension(columns) && isDimension(rows) ? { columns, rows } : undefined;
}

// Go's TerminalSize counts in 16 bits; zero is what a closed terminal has.
function isDimension(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
