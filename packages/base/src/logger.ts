import type { JsonObject } from './json.ts';

/**
 * Where a room says what happened. `fields` are for machines; the message alone must make sense to
 * a person. Never put a secret, a token or user data into either.
 */
export interface Logger {
  debug(message: string, fields?: JsonObject): void;
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
  error(message: string, fields?: JsonObject): void;
}

/** Says nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
