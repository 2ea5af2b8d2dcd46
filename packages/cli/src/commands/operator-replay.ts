import { errorMessage, isJsonObject } from '@fnlet/base';
import { parseOperatorAnswer } from '@fnlet/sdk/operator-wire';
import { answerDifferences, type Difference } from '../answer-differences.ts';
import { askApi } from '../ask-api.ts';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { functionOf } from '../operator-description.ts';
import { formatKey, operatorsPath } from '../operator-records.ts';
import { formatDocument } from '../output.ts';

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
  const after = await ask(connection, name, context);
  const differences = answerDifferences(before, after);
  if (output !== undefined) {
    stdout.write(await formatDocument(output, { run: name, before, after, differences }));
    return;
  }
  const kind = isJsonObject(object) ? object.kind : '';
  stdout.write(`${name} for ${kind} ${formatKey(object)}: ${formatDifferences(differences)}`);
}

/** What the function answers now. */
async function ask(connection: Connection, name: string, { signal }: CliContext): Promise<unknown> {
  const { namespace } = connection;
  const [operatorName = ''] = name.split('.');
  const operator = await connection.operators.get({ namespace, name: operatorName }, { signal });
  if (operator.spec.hooks !== undefined) {
    const found = 'found hooks of Metacontroller, which only the hub can ask';
    throw new CliError(exitCodes.failed, `Cannot replay run "${name}": ${found}`);
  }
  const called = functionOf(operator);
  const path = `${operatorsPath(namespace, 'runs', name)}/replay`;
  const query = { function: called };
  const replayed = await askApi(connection, { path, method: 'POST', query, remedy, signal });
  const { status, answer } = replayed;
  if (status !== 200) throw unusable(called, `${status}: ${answer}`);
  try {
    return parseOperatorAnswer(JSON.parse(String(answer)));
  } catch (error) {
    throw unusable(called, errorMessage(error));
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
