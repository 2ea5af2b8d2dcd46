import { isJsonObject, type JsonObject, tryParseDuration } from '@fnlet/base';
import { askApi } from '../ask-api.ts';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatDocument } from '../output.ts';
import { formatAge, formatTable } from '../text-table.ts';

export interface DeadFlags extends GlobalOptions {
  readonly output?: DocumentFormat;
}

/** Which dead letters are meant. */
export interface LetterFlags {
  readonly trigger?: string | undefined;
  readonly type?: string;
  readonly source?: string;
  readonly id?: string;
  readonly reason?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface DeadListFlags extends GlobalOptions, LetterFlags {
  readonly output?: DocumentFormat | 'table';
  readonly allNamespaces?: boolean;
  readonly limit?: string;
}

export interface DropFlags extends DeadFlags, LetterFlags {
  readonly all?: boolean;
}

export interface ReplayFlags extends DropFlags {
  readonly to?: string;
  readonly rate?: string;
}

const group = '/apis/events.fnlet.dev/v1alpha1';
const remedy = 'Which dead letters there are: fnlet events dead ls';
const replayRemedy =
  'What is left: fnlet events dead ls; mend who is to get it, or name another one with --to';

/** `fnlet events dead ls`: those of each Trigger in the order in which they were given up. */
export async function listDeadLetters(flags: DeadListFlags, context: CliContext): Promise<void> {
  const { allNamespaces = false, limit, output = 'table' } = flags;
  const { stdout, stderr, signal, clock } = context;
  const nowMs = clock.now();
  const query = { ...letterQuery(flags, nowMs), limit };
  await using connection = await connect(flags, context);
  const where = allNamespaces ? '' : `/namespaces/${connection.namespace}`;
  const path = `${group}${where}/deadletters`;
  const list = await askApi(connection, { path, query, remedy: triggersRemedy, signal });
  if (output !== 'table') {
    stdout.write(await formatDocument(output, list));
    return;
  }
  const letters = Array.isArray(list.items) ? list.items.filter(isJsonObject) : [];
  if (letters.length === 0) stderr.write('No dead letters.\n');
  else stdout.write(formatLetters(letters, { allNamespaces, nowMs }));
  if (list.hasMore === true) stderr.write('There are more: see --limit, --since and --until.\n');
}

/** `fnlet events dead show`: one of them with the data of its event. */
export async function showDeadLetter(
  flags: DeadFlags & { readonly name: string },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(flags, context);
  const path = letterPath(connection.namespace, flags.name);
  const letter = await askApi(connection, { path, remedy, signal: context.signal });
  context.stdout.write(await formatDocument(flags.output ?? 'yaml', letter));
}

/** `fnlet events dead replay`: asks until all that are meant are on their way. */
export async function replayDeadLetters(flags: ReplayFlags, context: CliContext): Promise<void> {
  const { signal, stdout } = context;
  requireChoice(flags, 'replay');
  const { to, rate, output } = flags;
  const query = { ...letterQuery(flags, context.clock.now()), ...placeOf(flags), to, rate };
  await using connection = await connect(flags, context);
  const path = `${group}/namespaces/${connection.namespace}/replays`;
  let replayed = 0;
  let { until } = query;
  while (true) {
    const asked = { path, method: 'POST', query: { ...query, until }, signal } as const;
    const answer = await askApi(connection, { ...asked, remedy: replayRemedy });
    replayed += Number(answer.replayed);
    if (answer.isDone === true) break;
    // Those that are given up again meanwhile are not replayed again.
    until = String(answer.until);
  }
  if (output === undefined) stdout.write(`${countLetters(replayed)} replayed\n`);
  else stdout.write(await formatDocument(output, { replayed }));
}

/** `fnlet events dead drop` */
export async function dropDeadLetters(flags: DropFlags, context: CliContext): Promise<void> {
  const { signal, stdout } = context;
  requireChoice(flags, 'drop');
  const { trigger = '', output } = flags;
  await using connection = await connect(flags, context);
  const { namespace } = connection;
  const isOne = placeOf(flags).number !== undefined;
  const question = isOne
    ? { path: letterPath(namespace, trigger) }
    : {
        path: `${group}/namespaces/${namespace}/deadletters`,
        query: letterQuery(flags, context.clock.now()),
      };
  const answer = await askApi(connection, { ...question, method: 'DELETE', remedy, signal });
  const dropped = isOne ? 1 : Number(answer.dropped);
  if (output === undefined) stdout.write(`${countLetters(dropped)} dropped\n`);
  else stdout.write(await formatDocument(output, { dropped }));
}

/** One line for each dead letter. */
export function formatLetters(
  letters: readonly JsonObject[],
  { allNamespaces, nowMs }: { readonly allNamespaces: boolean; readonly nowMs: number },
): string {
  const heads = ['NAME', 'TYPE', 'ID', 'REASON', 'CODE', 'ATTEMPTS', 'AGE', 'ANSWER'];
  const rows = letters.map(({ namespace, name, event, reason, code, attempts, time, answer }) => {
    const { type, id } = isJsonObject(event) ? event : {};
    const age = formatAge(Date.parse(String(time)) || nowMs, nowMs);
    const cells = [name, type, id, reason, code, attempts, age, shorten(String(answer ?? ''))];
    return [...(allNamespaces ? [namespace] : []), ...cells].map((cell) => String(cell ?? ''));
  });
  return formatTable(allNamespaces ? ['NAMESPACE', ...heads] : heads, rows);
}

/** A time as people write it: a moment, or how long ago; milliseconds since 1970. */
export function parseMoment(flag: string, text: string, nowMs: number): number {
  const agoMs = tryParseDuration(text);
  if (agoMs !== undefined) return nowMs - agoMs;
  const timeMs = Date.parse(text);
  if (!Number.isNaN(timeMs)) return timeMs;
  throw new CliError(
    exitCodes.usage,
    `Cannot read --${flag}: found "${text}", expected a time or a duration`,
    { remedy: `For example: --${flag} 2026-01-31T12:00:00Z, or --${flag} 90m` },
  );
}

const triggersRemedy = 'Which Triggers there are: fnlet trigger ls';

const answerCharactersMax = 60;

function shorten(text: string): string {
  return text.length <= answerCharactersMax ? text : `${text.slice(0, answerCharactersMax - 1)}…`;
}

function countLetters(count: number): string {
  return count === 1 ? '1 dead letter' : `${count} dead letters`;
}

function letterPath(namespace: string, name: string): string {
  return `${group}/namespaces/${namespace}/deadletters/${encodeURIComponent(name)}`;
}

type LetterQuery = Readonly<
  Record<'trigger' | 'type' | 'source' | 'id' | 'reason' | 'since' | 'until', string | undefined>
>;

function letterQuery(
  { trigger, type, source, id, reason, since, until }: LetterFlags,
  nowMs: number,
): LetterQuery {
  const moment = (flag: string, text: string | undefined): string | undefined =>
    text === undefined ? undefined : new Date(parseMoment(flag, text, nowMs)).toISOString();
  const times = { since: moment('since', since), until: moment('until', until) };
  return { trigger, type, source, id, reason, ...times };
}

/** Where one dead letter is, when it is named as `ls` shows it. */
function placeOf({ trigger = '' }: LetterFlags): { trigger?: string; number?: string } {
  const [, name, number] = /^(.+)\.(\d+)$/.exec(trigger) ?? [];
  return name === undefined || number === undefined ? {} : { trigger: name, number };
}

/** Nobody means all of them by saying nothing. */
function requireChoice(flags: DropFlags, verb: string): void {
  const { trigger, type, source, id, reason, since, until, all } = flags;
  const named = [trigger, type, source, id, reason, since, until];
  if (all === true || named.some((one) => one !== undefined)) return;
  throw new CliError(
    exitCodes.usage,
    `Cannot ${verb} dead letters: found none named, expected a Trigger, --id or another filter, or --all`,
    { remedy: `All of the namespace: fnlet events dead ${verb} --all` },
  );
}
