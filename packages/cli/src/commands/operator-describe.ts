import { isJsonObject, type JsonObject } from '@fnlet/base';
import { askApi } from '../ask-api.ts';
import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect } from '../connection.ts';
import { formatOperatorDescription } from '../operator-description.ts';
import { operatorsPath } from '../operator-records.ts';
import { formatObjects } from '../output.ts';

const runsShown = 10;

/** `fnlet operator describe`: an Operator with its last runs and its Events. */
export async function describeOperator(
  options: GlobalOptions & { readonly name: string },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(options, context);
  const { namespace } = connection;
  const { signal, stdout, clock } = context;
  const operator = await connection.operators.get({ namespace, name: options.name }, { signal });
  if (options.output !== undefined && options.output !== 'table') {
    stdout.write(await formatObjects(options.output, operator));
    return;
  }
  // By uid: an earlier Operator of the same name had Events of its own.
  const fieldSelector = `involvedObject.kind=Operator,involvedObject.uid=${operator.metadata.uid}`;
  const [runs, { items: events }] = await Promise.all([
    tryListRuns(connection, options.name, context),
    connection.events.list({ namespace, fieldSelector, signal }),
  ]);
  stdout.write(formatOperatorDescription({ operator, runs, events, nowMs: clock.now() }));
}

/** Its runs; none where they may not be seen. */
async function tryListRuns(
  connection: Connection,
  operator: string,
  { signal, stderr }: CliContext,
): Promise<readonly JsonObject[]> {
  const path = operatorsPath(connection.namespace, 'runs');
  const query = { operator, limit: String(runsShown) };
  try {
    const { items } = await askApi(connection, { path, query, remedy: '', signal });
    return Array.isArray(items) ? items.filter(isJsonObject) : [];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    stderr.write(`Its runs cannot be shown: ${error.message}\n`);
    return [];
  }
}
