import type { Clock, JsonObject, Logger } from '@fnlet/base';
import type { LogLevel } from './config.ts';

const order: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export interface ConsoleLoggerOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Where finished lines go, each with its line feed. */
  readonly write: (line: string) => void;
}

/** One line an entry, for a person at a console: time, level, message, then the fields. */
export function createConsoleLogger({ level, clock, write }: ConsoleLoggerOptions): Logger {
  const log = (entry: LogLevel, message: string, fields: JsonObject = {}): void => {
    if (order[entry] < order[level]) return;
    const time = new Date(clock.now()).toISOString().slice(11, 23);
    const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${formatValue(value)}`);
    write(`${time} ${entry.padEnd(5)} ${message}${pairs.join('')}\n`);
  };
  return {
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
  };
}

// One entry is one line: text with blanks or control characters is written as JSON.
function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}
