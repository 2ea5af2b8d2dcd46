import { access, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import type { Template } from './template.ts';

export interface WriteTemplateOptions {
  readonly directory: string;
  readonly template: Template;
  /** Fills the words of the template in. */
  readonly fill: (text: string) => string;
  /** Whether files that exist are overwritten. */
  readonly force: boolean;
}

/** Writes a template's files and tells of each; refuses to overwrite unless told to. */
export async function writeTemplate(
  { directory, template, fill, force }: WriteTemplateOptions,
  { workingDirectory, stderr }: Pick<CliContext, 'workingDirectory' | 'stderr'>,
): Promise<void> {
  const target = resolve(workingDirectory, directory);
  const files = Object.entries(template.files);
  if (!force) for (const [file] of files) await refuseOverwrite(join(target, file));
  await mkdir(target, { recursive: true });
  for (const [file, text] of files) {
    await writeFile(join(target, file), fill(text));
    stderr.write(`wrote ${join(directory, file)}\n`);
  }
}

async function refuseOverwrite(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  throw new CliError(exitCodes.failed, `Cannot write "${file}": it exists`, {
    remedy: 'Choose another directory, or overwrite with --force',
  });
}
