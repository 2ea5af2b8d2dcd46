import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { planOperatorAccount } from '../operator/operator-account.ts';
import { loadOperatorModule } from '../operator/operator-module.ts';
import { formatDocument } from '../output.ts';

/** `fnlet operator crd`: prints the manifests of the kinds that a module defines. */
export async function printDefinitions(
  options: { readonly file: string; readonly output: DocumentFormat },
  context: CliContext,
): Promise<void> {
  const { definitions } = await loadOperatorModule(options.file, context);
  await print(definitions, options.output, context);
}

/** `fnlet operator rbac`: prints the account that a module's operators need. */
export async function printAccount(
  options: {
    readonly file: string;
    readonly output: DocumentFormat;
    readonly serviceAccount?: string;
    readonly namespace?: string;
  },
  context: CliContext,
): Promise<void> {
  const { operators } = await loadOperatorModule(options.file, context);
  const { serviceAccount = operators[0]?.for.plural ?? 'operator', namespace = 'default' } =
    options;
  const objects = planOperatorAccount(operators, { name: serviceAccount, namespace });
  await print(objects, options.output, context);
}

// Documents of one stream, so that `kubectl apply -f -` takes them.
async function print(
  objects: readonly object[],
  format: DocumentFormat,
  { stdout }: CliContext,
): Promise<void> {
  if (format === 'json') {
    stdout.write(
      await formatDocument('json', {
        apiVersion: 'v1',
        kind: 'List',
        metadata: {},
        items: objects,
      }),
    );
    return;
  }
  const documents = await Promise.all(objects.map((object) => formatDocument('yaml', object)));
  stdout.write(documents.join('---\n'));
}
