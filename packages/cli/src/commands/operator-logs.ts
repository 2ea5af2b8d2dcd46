import type { CliContext } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { functionOf } from '../operator-description.ts';
import { type LogsOptions, logs } from './logs.ts';

/** `fnlet operator logs`: what the Instances of an Operator's Function wrote. */
export async function operatorLogs(options: LogsOptions, context: CliContext): Promise<void> {
  const name = await findFunction(options, context);
  await logs({ ...options, name }, context);
}

async function findFunction(options: LogsOptions, context: CliContext): Promise<string> {
  await using connection = await connect(options, context);
  const { namespace } = connection;
  const { signal } = context;
  return functionOf(await connection.operators.get({ namespace, name: options.name }, { signal }));
}
