import { builtinRuntimes } from '@fnlet/api';
import { fnletVersion } from '@fnlet/server/version';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { addFunctionCommands, withNamespace, withOutput } from './function-program.ts';
import type { KubelessFlags } from './kubeless-connection.ts';
import type { AutoscaleFlags } from './plan-autoscaler.ts';
import { addTriggerCommands } from './trigger-program.ts';

/** The command line of Kubeless, for functions of Kubeless on Fnlet. */
export function createKubelessProgram(context: CliContext): Command {
  const program = new Command('kubeless')
    .description('Functions of Kubeless on Fnlet, by the commands of Kubeless')
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    })
    .exitOverride();
  addFunctionCommands(program, context);
  addTriggerCommands(program, context);
  addAutoscale(program, context);
  addServer(program, context);
  addCompletion(program, context);
  return program;
}

function addAutoscale(program: Command, context: CliContext): void {
  const group = program.command('autoscale').description('bounds of how many Instances there are');
  const create = group.command('create').argument('<name>').description('set those of a function');
  withNamespace(create)
    .option('--min <count>', 'fewest', parseCount, 1)
    .option('--max <count>', 'most', parseCount, 1)
    .addOption(
      new Option('--metric <name>', 'what is measured').choices(['cpu', 'qps']).default('cpu'),
    )
    .requiredOption('--value <target>', 'percent of CPU, or calls a second')
    .action(async (name: string, flags: AutoscaleFlags & KubelessFlags) => {
      const { createAutoscaler } = await import('./autoscalers.ts');
      await createAutoscaler(name, flags, context);
    });
  const list = group.command('list').alias('ls').description('list them');
  withOutput(withNamespace(list), ['json', 'yaml']).action(
    async (flags: KubelessFlags & { output?: DocumentFormat }) => {
      const { listAutoscalers } = await import('./autoscalers.ts');
      await listAutoscalers(flags, context);
    },
  );
  const remove = group.command('delete').argument('<name>').description('remove them');
  withNamespace(remove).action(async (name: string, flags: KubelessFlags) => {
    const { deleteAutoscaler } = await import('./autoscalers.ts');
    await deleteAutoscaler(name, flags, context);
  });
}

function addServer(program: Command, context: CliContext): void {
  program
    .command('get-server-config')
    .description('print the runtimes that there are')
    .action(async () => {
      const { connect, tryListRuntimes } = await import('../connection.ts');
      await using connection = await connect({}, context);
      const found = (await tryListRuntimes(connection, context)).map(({ metadata }) => metadata);
      const names = (found.length > 0 ? found : builtinRuntimes).map(({ name }) => name);
      context.stdout.write(`Supported Runtimes are: ${names.join(', ')}\n`);
    });
  program
    .command('version')
    .description('print the version')
    .action(() => void context.stdout.write(`Kubeless version: fnlet ${fnletVersion}\n`));
}

function addCompletion(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('print a completion script')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      const { completion } = await import('../commands/completion.ts');
      completion(shell, context, 'kubeless');
    });
  const hidden = program.command('__complete', { hidden: true }).argument('[words...]');
  hidden.allowUnknownOption().action(async (words: string[]) => {
    const { complete } = await import('../commands/completion.ts');
    await complete(program, words, context);
  });
}

function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}
