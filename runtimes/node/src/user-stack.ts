import { util } from './builtins.ts';

/** What was thrown, with its stack, causes and fields, as far as it concerns the user. */
export function describeThrown(thrown: unknown): string {
  return userStack(util.inspect(thrown));
}

/** A stack without the frames of Node's own modules, which say nothing to the user. */
export function userStack(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => !/^\s+at .*\(?node:internal\//.test(line))
    .join('\n');
}
