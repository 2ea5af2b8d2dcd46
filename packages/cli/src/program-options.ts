import { type Command, InvalidArgumentError, Option } from 'commander';

/** Adds what every command that speaks to an API understands. */
export function addGlobalOptions(command: Command, formats?: readonly string[]): Command {
  command
    .option('--kubeconfig <file>', 'kubeconfig ($KUBECONFIG, else ./.fnlet, else ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace (default: the one of the context)');
  return formats === undefined ? command : command.addOption(outputOption(formats));
}

export function outputOption(formats: readonly string[]): Option {
  return new Option('-o, --output <format>', 'output format').choices(formats);
}

export function durationOption(flags: string, description: string): Option {
  return new Option(flags, `${description}, such as 30s or 1m30s`);
}

/** An option that may be given several times; its value is a list. */
export function repeatableOption(flags: string, description: string): Option {
  const add = (value: string, before: readonly string[]): readonly string[] => [...before, value];
  return new Option(flags, `${description} (repeatable)`).argParser(add).default([], 'none');
}

export function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseCount);
}

export function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}
