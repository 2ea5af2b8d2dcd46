import { hasCode, isJsonObject, type JsonObject, sleep } from '@fnlet/base';
import { isUnavailable, readRefusal } from '../api-refusal.ts';
import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { tailRetryMs } from '../limits.ts';
import { ToldEvents } from '../told-events.ts';
import { parseMoment } from './dead-letters.ts';

export interface TailFlags extends GlobalOptions {
  readonly trigger?: string | undefined;
  readonly broker?: string;
  readonly since?: string;
  readonly data?: boolean;
  readonly follow?: boolean;
  readonly allNamespaces?: boolean;
  readonly output?: 'table' | 'json';
}

const remedy = 'Which Triggers there are: fnlet trigger ls';

/** `fnlet events tail`: what happens to events, line by line. */
export async function tailEvents(flags: TailFlags, context: CliContext): Promise<void> {
  const { trigger, broker, since, data, follow = true, allNamespaces, output = 'table' } = flags;
  const { clock, stdout } = context;
  if (!follow && since === undefined) {
    throw new CliError(exitCodes.usage, 'Cannot show events: found no --since, expected it', {
      remedy: 'For example: fnlet events tail --no-follow --since 1h',
    });
  }
  await using connection = await connect(flags, context);
  const where = allNamespaces === true ? '' : `/namespaces/${connection.namespace}`;
  if (trigger !== undefined) await tellOfNone(connection, trigger, context);
  const fromMs = since === undefined ? undefined : parseMoment('since', since, clock.now());
  const path = `/apis/events.fnlet.dev/v1alpha1${where}/cloudevents`;
  const told = new ToldEvents();
  const print = (line: JsonObject): void => {
    if (!told.take(line)) return;
    stdout.write(output === 'json' ? `${JSON.stringify(line)}\n` : formatHappeningLine(line));
  };
  const query = {
    ...(trigger === undefined ? {} : { trigger }),
    ...(broker === undefined ? {} : { broker }),
    ...(data === true ? { data: 'true' } : {}),
    ...(follow ? { watch: 'true' } : {}),
  };
  const ask = (): Promise<void> => {
    const sinceMs = told.sinceMs ?? fromMs;
    const from = sinceMs === undefined ? {} : { since: new Date(sinceMs).toISOString() };
    return printStream(connection, { path, query: { ...query, ...from }, print }, context);
  };
  await ask();
  if (follow) await goOn(ask, context);
}

/** Prints what comes of one request, until it ends. */
async function printStream(
  { transport }: Connection,
  terms: {
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    readonly print: (line: JsonObject) => void;
  },
  { clock, signal }: CliContext,
): Promise<void> {
  const { path, query, print } = terms;
  const response = await transport.request({ method: 'GET', path, query, signal });
  if (response.status !== 200) throw await readRefusal(response, { path, remedy }, clock.now());
  try {
    for await (const line of response.documents()) if (isJsonObject(line)) print(line);
  } catch (error) {
    if (!signal.aborted && !hasCode(error, 'Interrupted')) throw error;
  }
}

/** Who told what happens is gone, as a controller that leads no more: the next one goes on. */
async function goOn(ask: () => Promise<void>, context: CliContext): Promise<void> {
  const { clock, signal, stderr } = context;
  for (let isTold = false; !signal.aborted; ) {
    await sleep(clock, tailRetryMs, signal);
    if (signal.aborted) return;
    try {
      await ask();
      isTold = false;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (!isTold) stderr.write(`${error.message}; waiting for the next one\n`);
      isTold = true;
    }
  }
}

/** One that does not exist may be about to: who waits for it should know. */
async function tellOfNone(
  { triggers, namespace }: Connection,
  name: string,
  { stderr, signal }: CliContext,
): Promise<void> {
  try {
    await triggers.get({ namespace, name }, { signal });
  } catch (error) {
    // Whoever may follow events need not be allowed to see Triggers.
    if (!hasCode(error, 'NotFound')) return;
    stderr.write(`There is no Trigger "${name}" in namespace "${namespace}" now\n`);
  }
}

/** When, what came of it, where, and which event; its data below. */
export function formatHappeningLine(line: JsonObject): string {
  const { time, outcome, code, kind, name, event, missed } = line;
  if (missed !== undefined) return `${missed} events came too fast to be shown\n`;
  const { type, id, source, subject, data, data_base64: bytes } = isJsonObject(event) ? event : {};
  const came = code === undefined ? String(outcome) : `${outcome} ${code}`;
  const who = kind === 'Broker' ? `broker/${name}` : String(name);
  const about = subject === undefined ? [] : [String(subject)];
  const head = [
    String(time),
    came.padEnd(13),
    who,
    String(type),
    String(id),
    String(source),
    ...about,
  ];
  const content = data === undefined ? bytes : data;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const below = content === undefined ? '' : `    ${text}\n`;
  return `${head.join('  ')}\n${below}`;
}
