import { builtinRuntimes } from '@fnlet/api';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

// Each script asks `<program> __complete <words>`, so that it never changes with the commands.
const scriptsOf = (program: string): Readonly<Record<string, string>> => ({
  bash: `_${program}() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(${program} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${program} ${program}
`,
  zsh: `#compdef ${program}
_${program}() {
  compadd -- \${(f)"$(${program} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}
}
compdef _${program} ${program}
`,
  fish: `complete -c ${program} -f -a '(${program} __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
});

/** `fnlet completion <shell>`: prints the script that the shell sources. */
export function completion(
  shell: string,
  { stdout }: Pick<CliContext, 'stdout'>,
  program: 'fnlet' | 'kubeless' = 'fnlet',
): void {
  const scripts = scriptsOf(program);
  const script = scripts[shell];
  if (script === undefined) {
    const known = Object.keys(scripts).join(', ');
    throw new CliError(exitCodes.usage, `Cannot complete for "${shell}": expected ${known}`);
  }
  stdout.write(script);
}

// Commands whose first argument is the name of an existing Function.
const takesFunction: ReadonlySet<string> = new Set([
  'call',
  'logs',
  'describe',
  'delete',
  'deploy',
  'update',
]);

/** What may stand in place of the last word, one candidate a line. */
export async function complete(
  program: Command,
  words: readonly string[],
  context: CliContext,
): Promise<void> {
  const candidates = planCompletion(program, words);
  const names = candidates.names === undefined ? [] : await readNames(candidates.names, context);
  for (const word of [...candidates.words, ...names]) context.stdout.write(`${word}\n`);
}

/** What may stand in a place. */
export interface Candidates {
  /** The words that the command line itself offers. */
  readonly words: readonly string[];
  /** The objects whose names belong there. */
  readonly names?: 'functions' | 'runtimes';
}

/** What may stand in place of the last word, as far as no API has to be asked. */
export function planCompletion(program: Command, words: readonly string[]): Candidates {
  const last = words.at(-1) ?? '';
  const command = program.commands.find((known) => known.name() === words[0]);
  if (command !== undefined && command.commands.length > 0 && words.length > 1) {
    return planCompletion(command, words.slice(1));
  }
  if (words.length <= 1 || command === undefined) {
    const names = program.commands.map((known) => known.name());
    return { words: names.filter((name) => !name.startsWith('_')) };
  }
  if (last.startsWith('-')) {
    const flags = command.options.flatMap(({ long, short }) => long ?? short ?? []);
    return { words: flags };
  }
  if (words.at(-2) === '--runtime') return { words: [], names: 'runtimes' };
  const isFirstArgument = words.slice(1, -1).every((word) => word.startsWith('-'));
  // Of a group, `describe` and the like are about what the group is called by.
  const isFunction =
    isFirstArgument && program.name() !== 'trigger' && takesFunction.has(command.name());
  return isFunction ? { words: [], names: 'functions' } : { words: [] };
}

// A shell that completes must not see an error: without an API there are no Functions.
async function readNames(
  kind: 'functions' | 'runtimes',
  context: CliContext,
): Promise<readonly string[]> {
  const { connect } = await import('../connection.ts');
  try {
    await using connection = await connect({}, context);
    const objects =
      kind === 'runtimes'
        ? (await connection.runtimes.list({ signal: context.signal })).items
        : await connection.listFunctions({ allNamespaces: false });
    return objects.map(({ metadata }) => metadata.name);
  } catch {
    return kind === 'runtimes' ? builtinRuntimes.map(({ name }) => name) : [];
  }
}
