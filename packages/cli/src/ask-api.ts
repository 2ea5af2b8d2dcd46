import { isJsonObject, type JsonObject } from '@fnlet/base';
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
  const value = await response.json();
  if (response.status === 200 && isJsonObject(value)) return value;
  const said = isJsonObject(value) ? value.message : value;
  const code = response.status === 404 ? exitCodes.notFound : exitCodes.failed;
  throw new CliError(code, `The API answers ${response.status}: ${said}`, { remedy });
}
