import { isJsonObject, type JsonObject, systemClock } from '@fnlet/base';
import { readRefusal } from './api-refusal.ts';
import { CliError } from './cli-error.ts';
import type { Connection } from './connection.ts';
import { exitCodes } from './exit-codes.ts';

/** A request about what is no object. */
export interface ApiQuestion {
  readonly path: string;
  readonly method?: 'GET' | 'DELETE' | 'POST';
  /** What is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** What to do where it is refused. */
  readonly remedy: string;
  readonly signal: AbortSignal;
}

/**
 * Asks the API, and gives the JSON object that it answers.
 *
 * @throws CliError
 */
export async function askApi(
  { transport }: Pick<Connection, 'transport'>,
  { path, method = 'GET', query = {}, remedy, signal }: ApiQuestion,
): Promise<JsonObject> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given[name] = value;
  }
  const response = await transport.request({ method, path, query: given, signal });
  if (response.status !== 200)
    throw await readRefusal(response, { path, remedy }, systemClock.now());
  const value = await response.json();
  if (isJsonObject(value)) return value;
  throw new CliError(exitCodes.failed, 'The API answers with what is no object', { remedy });
}
