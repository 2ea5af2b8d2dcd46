import { basename, resolve } from 'node:path';
import { fnletVersion } from '@fnlet/server/version';
import type { CliContext } from '../cli-context.ts';
import { kindNameFor, operatorTemplate } from '../operator/operator-template.ts';
import { writeTemplate } from '../write-template.ts';

export interface OperatorInitOptions {
  readonly directory: string;
  readonly force?: boolean;
}

/** `fnlet operator init`: writes an operator with its test. */
export async function initOperator(
  { directory, force = false }: OperatorInitOptions,
  context: CliContext,
): Promise<void> {
  const kind = kindNameFor(basename(resolve(context.workingDirectory, directory)));
  const fill = (text: string): string =>
    text.replaceAll('KIND', kind).replaceAll('VERSION', fnletVersion);
  await writeTemplate({ directory, template: operatorTemplate, fill, force }, context);
  context.stderr.write(`Next: npm test --prefix ${directory}\n`);
}
