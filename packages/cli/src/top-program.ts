import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { TopFlags } from './flags.ts';
import { topOrders } from './pod-usage.ts';
import { addGlobalOptions } from './program-options.ts';

/** Adds `fnlet top …`: what Functions and their Instances use. */
export function addTopCommands(program: Command, context: CliContext): void {
  const group = program
    .command('top')
    .description('show what CPU and memory Functions use, and their Instances');
  const functions = group
    .command('functions', { isDefault: true })
    .description('show what Functions use, all Instances of each together');
  addFlags(functions).action(async (flags: TopFlags) => {
    const { topFunctions } = await import('./commands/top.ts');
    await topFunctions(flags, context);
  });
  const pods = group
    .command('pods')
    .description('show what each Instance uses')
    .argument('[function]', 'only those of this Function');
  addFlags(pods).action(async (name: string | undefined, flags: TopFlags) => {
    const { topPods } = await import('./commands/top.ts');
    await topPods({ ...flags, name }, context);
  });
}

function addFlags(command: Command): Command {
  const order = new Option('--sort-by <column>', 'what comes first').choices([...topOrders]);
  command.option('-A, --all-namespaces', 'of all namespaces').addOption(order.default('name'));
  return addGlobalOptions(command, ['table', 'json', 'yaml']);
}
