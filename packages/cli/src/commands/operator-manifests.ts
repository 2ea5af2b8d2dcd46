import { OperatorWebhooks } from '@fnlet/reconcile';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { planOperatorAccount } from '../operator/operator-account.ts';
import { loadOperatorModule } from '../operator/operator-module.ts';
import { parseEndpoint, type WebhookOptions } from '../operator/webhook-terms.ts';
import { formatDocument } from '../output.ts';

/**
 * `fnlet operator crd`: prints the manifests of the kinds that a module defines. Where older
 * versions of them are converted is said if it is known.
 */
export async function printDefinitions(
  options: WebhookOptions & { readonly file: string; readonly output: DocumentFormat },
  context: CliContext,
): Promise<void> {
  const { operators, definitions } = await loadOperatorModule(options.file, context);
  const webhooks = new OperatorWebhooks(operators);
  const endpoint = parseEndpoint(options, 'default');
  if (endpoint === undefined && operators.some(({ for: kind }) => 'conversion' in kind)) {
    const text = 'Older versions lose what the newest does not know until the operator runs';
    context.stderr.write(`${text}: say how the API reaches it with --webhook-service\n`);
  }
  const manifests =
    endpoint === undefined ? definitions : webhooks.withConversions(definitions, endpoint);
  await print(manifests, options.output, context);
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
