import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * How a user of this environment types `fnlet`: as it is where the path leads to it, through npx
 * where npm or npx runs it (their path is not the user's) and where nothing leads to it.
 */
export function commandName(
  { npm_command: npmCommand, PATH: path = '' }: Readonly<Record<string, string | undefined>>,
  exists: (file: string) => boolean = existsSync,
): string {
  const directories = path.split(delimiter).filter((directory) => directory !== '');
  const isFound = directories.some((directory) => exists(join(directory, 'fnlet')));
  return npmCommand === undefined && isFound ? 'fnlet' : 'npx fnlet';
}

/** A text for the user that names commands, such as `fnlet ls`, with the command as they type it. */
export function asTyped(text: string, command: string): string {
  return text.replaceAll(/(?<![./\w]|npx )fnlet (?=[a-z-])/g, `${command} `);
}
