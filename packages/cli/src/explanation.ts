import { isJsonObject, type JsonObject } from '@fnlet/base';
import { ageOf } from './description-tables.ts';
import { formatKey, formatRuns } from './operator-records.ts';
import { formatAge } from './text-table.ts';

export interface ExplanationInput {
  /** As the API answers it. */
  readonly explanation: JsonObject;
  /** The last ones of the object, newest first. */
  readonly runs: readonly JsonObject[];
  readonly nowMs: number;
}

/** Why an object is as it is for an operator, for people. */
export function formatExplanation({ explanation, runs, nowMs }: ExplanationInput): string {
  const { operator, object, state, message, lastRun, nextDue, filtered } = explanation;
  const { kind, generation } = isJsonObject(object) ? object : {};
  const of = generation === undefined ? '' : `, generation ${generation}`;
  const facts = [
    ['Object', `${kind} ${formatKey(object)}${of}`],
    ['Operator', formatKey(operator)],
    ['State', `${state}: ${message}`],
    ...(isJsonObject(lastRun) ? describeRun(lastRun, nowMs) : [['Last run', 'none']]),
    ...describeWrites(lastRun, { runs, nowMs }),
    ['Filtered', describeFiltered(filtered, nowMs)],
    ...(nextDue === undefined ? [] : [['Next due', describeDue(String(nextDue), nowMs)]]),
  ];
  const head = facts.map(([name, value]) => `${name === '' ? ' ' : `${name}:`}`.padEnd(12) + value);
  return `${head.join('\n')}\n${formatRuns(runs, { nowMs, hasObject: false })}`;
}

function describeRun(run: JsonObject, nowMs: number): string[][] {
  const { at, reason, outcome, tookMs, error } = run;
  const { reason: code, message } = isJsonObject(error) ? error : {};
  return [
    ['Last run', `${ageOf(String(at), nowMs)} ago, took ${tookMs} ms: ${outcome}`],
    ['Because', String(reason)],
    ...(error === undefined ? [] : [['Error', `${code}: ${message}`]]),
  ];
}

/** What the last run has written, or where it was nothing, the last one that has. */
function describeWrites(
  lastRun: unknown,
  { runs, nowMs }: Pick<ExplanationInput, 'runs' | 'nowMs'>,
): string[][] {
  const written = writesOf(lastRun);
  const earlier = written.length > 0 ? undefined : runs.find((run) => writesOf(run).length > 0);
  const lines = earlier === undefined ? written : writesOf(earlier);
  const age = ageOf(String(earlier?.startedAt), nowMs);
  const none = isJsonObject(lastRun) ? 'nothing' : 'nothing is known';
  const last = earlier === undefined ? none : `${none}; the last time ${age} ago:`;
  return [
    ...(written.length > 0 ? [] : [['Written', last]]),
    ...lines.map((write, index) => [written.length > 0 && index === 0 ? 'Written' : '', write]),
  ];
}

function writesOf(run: unknown): string[] {
  return isJsonObject(run) && Array.isArray(run.writes) ? run.writes.map(String) : [];
}

function describeFiltered(filtered: unknown, nowMs: number): string {
  if (!isJsonObject(filtered)) return 'no change since then';
  const { count, at, parts } = filtered;
  const what = Array.isArray(parts) && parts.length > 0 ? ` of ${parts.join(', ')}` : '';
  const changes = count === 1 ? 'a change' : `${count} changes, the last`;
  return `${changes}${what} ${ageOf(String(at), nowMs)} ago: no reason to run`;
}

function describeDue(time: string, nowMs: number): string {
  const dueMs = Date.parse(time);
  return dueMs > nowMs ? `${time}, in ${formatAge(nowMs, dueMs)}` : `${time}, which is now`;
}
