import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { CallsFlags, CallsListFlags } from './commands/calls.ts';

/** Adds `fnlet calls …`: what became of asynchronous calls. */
export function addCallsCommands(program: Command, context: CliContext): void {
  const group = program.command('calls').description('look after asynchronous calls');
  addList(group, context);
  const actions = [
    ['get', 'show how far a call is'],
    ['cancel', 'take back a call that waits'],
    ['retry', 'try a call anew that came to nothing'],
  ] as const;
  for (const [action, description] of actions) {
    const command = group
      .command(action)
      .description(description)
      .argument('<id>', 'id of the call');
    addFlags(command, ['yaml', 'json']).action(async (id: string, flags: CallsFlags) => {
      const { actOnCall } = await import('./commands/calls.ts');
      await actOnCall(action, { ...flags, id }, context);
    });
  }
}

function addList(group: Command, context: CliContext): void {
  const command = group
    .command('ls')
    .description('list asynchronous calls, the last first')
    .argument('[function]', 'only those of this Function')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--state <state>', 'only those that are queued, running, retrying, succeeded, …')
    .option('--limit <count>', 'at most so many (the API gives at most 500)');
  addFlags(command, ['table', 'yaml', 'json']).action(
    async (name: string | undefined, flags: CallsListFlags) => {
      const { listCalls } = await import('./commands/calls.ts');
      await listCalls(name, flags, context);
    },
  );
}

function addFlags(command: Command, formats: readonly string[]): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig ($KUBECONFIG, else ./.fnlet, else ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace (default: the one of the context)')
    .addOption(new Option('-o, --output <format>', 'output format').choices(formats));
}
