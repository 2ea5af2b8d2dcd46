import { errorMessage, isJsonObject, type JsonObject } from '@fnlet/base';
import { contractHeader, contractVersion, parseOperatorAnswer } from '@fnlet/sdk/operator-wire';
import { answerDifferences, type Difference } from '../answer-differences.ts';
import { askApi } from '../ask-api.ts';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { functionOf } from '../operator-description.ts';
import { formatKey, operatorsPath } from '../operator-records.ts';
import { formatDocument } from '../output.ts';
import { callInside } from './call-inside.ts';

export interface ReplayRunFlags extends GlobalOptions {
  readonly output?: DocumentFormat;
}

const remedy = 'Which runs there are: fnlet operator describe <name>';

/**
 * `fnlet operator replay`: sends what a run was sent to the function as it is now, and tells how its
 * answer differs. Nothing is done with the answer.
 */
export async function replayRun(
  flags: ReplayRunFlags & { readonly run: string },
  context: CliContext,
): Promise<void> {
  const { run: name, output } = flags;
  const { signal, stdout } = context;
  await using connection = await connect(flags, context);
  const path = operatorsPath(connection.namespace, 'runs', name);
  const run = await askApi(connection, { path, remedy, signal });
  const { input, answer, error, object } = run;
  if (!isJsonObject(input)) {
    const found = 'what it was sent was too large to be kept';
    throw new CliError(exitCodes.failed, `Cannot replay run "${name}": ${found}`, { remedy });
  }
  const before = answer ?? { error };
  const after = await ask(connection, { name, input }, context);
  const differences = answerDifferences(before, after);
  if (output !== undefined) {
    stdout.write(await formatDocument(output, { run: name, before, after, differences }));
    return;
  }
  const kind = isJsonObject(object) ? object.kind : '';
  stdout.write(`${name} for ${kind} ${formatKey(object)}: ${formatDifferences(differences)}`);
}

/** What the function answers now. */
async function ask(
  connection: Connection,
  { name, input }: { readonly name: string; readonly input: JsonObject },
  { signal }: CliContext,
): Promise<unknown> {
  const { namespace } = connection;
  const [operatorName = ''] = name.split('.');
  const operator = await connection.operators.get({ namespace, name: operatorName }, { signal });
  if (operator.spec.hooks !== undefined) {
    const found = 'found hooks of Metacontroller, which only the hub can ask';
    throw new CliError(exitCodes.failed, `Cannot replay run "${name}": ${found}`);
  }
  const key = { namespace, name: functionOf(operator) };
  const request = new Request('http://localhost/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', [contractHeader]: String(contractVersion) },
    body: JSON.stringify(input),
  });
  const response = await callInside(request, { connection, key, signal });
  const text = await response.text();
  if (response.status !== 200) throw unusable(key.name, `${response.status}: ${text}`);
  try {
    return parseOperatorAnswer(JSON.parse(text));
  } catch (error) {
    throw unusable(key.name, errorMessage(error));
  }
}

function formatDifferences(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'the same answer\n';
  const lines = differences.map(({ path, before, after }) => {
    const was = before === undefined ? '' : `- ${path}: ${before}\n`;
    return after === undefined ? was : `${was}+ ${path}: ${after}\n`;
  });
  return `another answer\n${lines.join('')}`;
}

function unusable(name: string, found: string): CliError {
  const shown = found.slice(0, 500);
  return new CliError(exitCodes.failed, `Function "${name}" has no answer now: found ${shown}`, {
    remedy: `Its log: fnlet logs ${name}`,
  });
}
