import { isJsonObject, type JsonObject } from '@fnlet/base';
import { askApi } from '../ask-api.ts';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { formatExplanation } from '../explanation.ts';
import { operatorsPath } from '../operator-records.ts';
import { formatDocument } from '../output.ts';

export interface ExplainFlags extends GlobalOptions {
  readonly output?: DocumentFormat;
}

const runsShown = 10;
const remedy = 'Which Operators there are: fnlet operator ls';

/** `fnlet operator explain`: why an object is as it is for an Operator. */
export async function explainObject(
  flags: ExplainFlags & { readonly operator: string; readonly object: string },
  context: CliContext,
): Promise<void> {
  const { operator, object, output } = flags;
  const { signal, stdout, clock } = context;
  await using connection = await connect(flags, context);
  const path = operatorsPath(connection.namespace, 'explanations', operator);
  const explanation = await askApi(connection, { path, query: { object }, remedy, signal });
  if (output !== undefined) {
    stdout.write(await formatDocument(output, explanation));
    return;
  }
  const list = await askApi(connection, {
    path: operatorsPath(connection.namespace, 'runs'),
    query: { operator, object, limit: String(runsShown) },
    ...{ remedy, signal },
  });
  const runs: JsonObject[] = Array.isArray(list.items) ? list.items.filter(isJsonObject) : [];
  stdout.write(formatExplanation({ explanation, runs, nowMs: clock.now() }));
}
