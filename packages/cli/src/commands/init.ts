import { access, mkdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { asTyped } from '../command-name.ts';
import { exitCodes } from '../exit-codes.ts';
import { functionNameFor } from '../function-name.ts';
import { quoteForShell } from '../shell-word.ts';
import { type Template, templates } from '../template.ts';

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
  if (options.force !== true) await refuseOverwrite(directory, template);
  await mkdir(directory, { recursive: true });
  for (const [file, text] of Object.entries(template.files)) {
    await writeFile(join(directory, file), asTyped(text.replaceAll('NAME', name), context.command));
    context.stderr.write(`wrote ${join(options.directory, file)}\n`);
  }
  context.stderr.write(
    `Next: ${context.command} deploy ${name} ${quoteForShell(options.directory || '.')}\n`,
  );
}

async function refuseOverwrite(directory: string, template: Template): Promise<void> {
  for (const file of Object.keys(template.files)) {
    const exists = await access(join(directory, file)).then(
      () => true,
      () => false,
    );
    if (exists) {
      throw new CliError(exitCodes.failed, `Cannot write "${join(directory, file)}": it exists`, {
        remedy: 'Choose another directory, or overwrite with --force',
      });
    }
  }
}
