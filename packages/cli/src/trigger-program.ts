import { type Command, Option } from 'commander';
import type { CliContext, GlobalOptions } from './cli-context.ts';
import type { TriggerCreateFlags } from './commands/trigger-create.ts';
import type { LsFlags } from './flags.ts';
import { addGlobalOptions, countOption, repeatableOption } from './program-options.ts';
import { type SourceFlag, triggerSourceFlags } from './trigger-flags.ts';

/** Adds `fnlet trigger …`: where events come from, and who gets them. */
export function addTriggerCommands(program: Command, context: CliContext): void {
  const group = program
    .command('trigger')
    .description('say where requests and events come from, and who gets them');
  const create = group.command('create').description('create a Trigger, by its source');
  for (const kind of Object.keys(triggerSourceFlags)) addCreate(create, kind, context);
  const ls = group
    .command('ls')
    .description('list Triggers')
    .option('-A, --all-namespaces', 'of all namespaces');
  addGlobalOptions(ls, ['json', 'yaml', 'name', 'table']);
  ls.action(async (options: LsFlags) => {
    const { listTriggers } = await import('./commands/trigger-ls.ts');
    await listTriggers(options, context);
  });
  const describe = group
    .command('describe')
    .description('show a Trigger: how it is, what waits, what happened')
    .argument('<name>', 'name of the Trigger');
  addGlobalOptions(describe, ['json', 'yaml']);
  describe.action(async (name: string, options: GlobalOptions) => {
    const { describeTrigger } = await import('./commands/trigger-describe.ts');
    await describeTrigger({ ...options, name }, context);
  });
}

function addCreate(group: Command, kind: string, context: CliContext): void {
  const { description = '', flags = [] } = triggerSourceFlags[kind] ?? {};
  const command = group
    .command(kind)
    .description(`create a Trigger for ${description}`)
    .argument('<name>', 'name of the Trigger');
  for (const flag of flags) command.addOption(sourceOption(flag));
  command
    .option('--function <name>', 'the Function that gets it')
    .option('--tag <tag>', 'its Revision with this tag')
    .option('--url <url>', 'or the URL that gets it')
    .option('--to-broker <name>', 'or the Broker that gets it')
    .addOption(repeatableOption('--filter <attribute=value>', 'only events with this'))
    .option('--cesql <expression>', 'only events for which this is true')
    .addOption(countOption('--retry <count>', 'tries after the first'))
    .option('--ordering-key <attribute>', 'what is in order; an attribute or CESQL')
    .addOption(countOption('--concurrency <count>', 'deliveries that are under way at once'))
    .option('--dead-letter <target>', 'Function or URL that gets what was given up')
    .option('--paused', 'deliver nothing yet')
    .option('--dry-run', 'only print it');
  addGlobalOptions(command, ['json', 'yaml', 'name']);
  command.action(async (name: string, options: TriggerCreateFlags) => {
    const { createTrigger } = await import('./commands/trigger-create.ts');
    await createTrigger({ kind, name }, options, context);
  });
}

function sourceOption({ usage, description, isRequired, isList }: SourceFlag): Option {
  const option = isList ? repeatableOption(usage, description) : new Option(usage, description);
  // A list that may be repeated is empty by default, which counts as given.
  return option.makeOptionMandatory(isRequired === true && isList !== true);
}
