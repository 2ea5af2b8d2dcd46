import { OperatorWebhooks } from '@fnlet/reconcile';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { loadOperatorModule } from '../operator/operator-module.ts';
import { parseEndpoint, type WebhookOptions } from '../operator/webhook-terms.ts';
import { formatManifests } from '../output.ts';

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

async function print(
  objects: readonly object[],
  format: DocumentFormat,
  { stdout }: CliContext,
): Promise<void> {
  stdout.write(await formatManifests(format, objects));
}
