import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CronTriggerFlags } from './cron-triggers.ts';
import { withDryRun, withNamespace } from './function-program.ts';
import type { KubelessFlags } from './kubeless-connection.ts';

const brokers = 'a Deployment that consumes the topic and calls the function does the same';

/** What is not there, and what to do instead. */
const missing: Readonly<Record<string, string>> = {
  http: 'the Gateway answers for every function at /<namespace>/<name>',
  kafka: brokers,
  nats: brokers,
  kinesis: brokers,
};

/** Adds `kubeless trigger …` and `kubeless topic …`. */
export function addTriggerCommands(program: Command, context: CliContext): void {
  const group = program.command('trigger').description('what calls functions');
  addCronJob(group, context);
  for (const [kind, instead] of Object.entries(missing)) addMissing(group, kind, instead);
  addMissing(program, 'topic', 'use the tools of the broker');
}

function addMissing(group: Command, name: string, instead: string): void {
  group
    .command(name)
    .argument('[words...]')
    .description('not there')
    .allowUnknownOption()
    .action(() => {
      const path = group.parent === null ? name : `${group.name()} ${name}`;
      const message = `Cannot run "kubeless ${path}": Fnlet has nothing like it; ${instead}`;
      throw new CliError(exitCodes.failed, message);
    });
}

function addCronJob(parent: Command, context: CliContext): void {
  const group = parent.command('cronjob').description('times at which a function is called');
  const create = group.command('create').argument('<name>').description('add one');
  withPayload(create)
    .requiredOption('--function <name>', 'function to call')
    .requiredOption('--schedule <cron>', 'when, in UTC')
    .action(async (name: string, flags: CronTriggerFlags & Required) => {
      const { createCronTrigger } = await import('./cron-triggers.ts');
      await createCronTrigger(name, flags, context);
    });
  const update = group.command('update').argument('<name>').description('change one');
  withPayload(update)
    .option('--function <name>', 'function to call')
    .option('--schedule <cron>', 'when, in UTC')
    .action(async (name: string, flags: CronTriggerFlags) => {
      const { updateCronTrigger } = await import('./cron-triggers.ts');
      await updateCronTrigger(name, flags, context);
    });
  const list = group.command('list').alias('ls').description('list them');
  withNamespace(list).action(async (flags: KubelessFlags) => {
    const { listCronTriggers } = await import('./cron-triggers.ts');
    await listCronTriggers(flags, context);
  });
  const remove = group.command('delete').argument('<name>').description('delete one');
  withNamespace(remove).action(async (name: string, flags: KubelessFlags) => {
    const { deleteCronTrigger } = await import('./cron-triggers.ts');
    await deleteCronTrigger(name, flags, context);
  });
}

interface Required {
  readonly function: string;
  readonly schedule: string;
}

function withPayload(command: Command): Command {
  return withDryRun(withNamespace(command))
    .option('-p, --payload <json>', 'object to send with POST; without one: GET')
    .option('-f, --payload-from-file <path>', 'file with the object');
}
