import { basename, resolve } from 'node:path';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { asTyped } from '../command-name.ts';
import { exitCodes } from '../exit-codes.ts';
import { functionNameFor } from '../function-name.ts';
import { quoteForShell } from '../shell-word.ts';
import { templates } from '../template.ts';
import { writeTemplate } from '../write-template.ts';

export interface InitOptions {
  readonly directory: string;
  readonly template: string;
  readonly force?: boolean;
}

/** `fnlet init`: writes a template's files; refuses to overwrite unless told to. */
export async function init(options: InitOptions, context: CliContext): Promise<void> {
  const template = templates[options.template];
  if (template === undefined) {
    throw new CliError(exitCodes.usage, `Cannot use template "${options.template}": not known`);
  }
  const directory = resolve(context.workingDirectory, options.directory);
  const name = functionNameFor(basename(directory));
  const fill = (text: string): string => asTyped(text.replaceAll('NAME', name), context.command);
  const { force = false } = options;
  await writeTemplate({ directory: options.directory, template, fill, force }, context);
  const source = quoteForShell(options.directory || '.');
  context.stderr.write(`Next: ${context.command} deploy ${name} ${source}\n`);
}
