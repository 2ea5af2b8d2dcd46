import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CronTriggerFlags } from './cron-triggers.ts';
import { withDryRun, withNamespace } from './function-program.ts';
import type { HttpTriggerCommandFlags } from './http-triggers.ts';
import type { KubelessFlags } from './kubeless-connection.ts';

const brokers = 'a Deployment that consumes the topic and calls the function does the same';

/** What is not there, and what to do instead. */
const missing: Readonly<Record<string, string>> = {
  kafka: brokers,
  nats: brokers,
  kinesis: brokers,
};

/** Adds `kubeless trigger …` and `kubeless topic …`. */
export function addTriggerCommands(program: Command, context: CliContext): void {
  const group = program.command('trigger').description('what calls functions');
  addHttp(group, context);
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

function addHttp(parent: Command, context: CliContext): void {
  const group = parent.command('http').description('hosts and paths at which a function is called');
  const create = group.command('create').argument('<name>').description('add one');
  withRoute(create)
    .requiredOption('--function-name <name>', 'function to call')
    .addOption(gatewayOption().default('nginx'))
    .option('--cors-enable', 'let pages of other origins call')
    .action(async (name: string, flags: HttpTriggerCommandFlags & { functionName: string }) => {
      const { createHttpTrigger } = await import('./http-triggers.ts');
      await createHttpTrigger(name, flags, context);
    });
  const update = group.command('update').argument('<name>').description('change one');
  withRoute(update)
    .option('--function-name <name>', 'function to call')
    .addOption(gatewayOption())
    .action(async (name: string, flags: HttpTriggerCommandFlags) => {
      const { updateHttpTrigger } = await import('./http-triggers.ts');
      await updateHttpTrigger(name, flags, context);
    });
  const list = group.command('list').alias('ls').description('list them');
  withNamespace(list).action(async (flags: KubelessFlags) => {
    const { listHttpTriggers } = await import('./http-triggers.ts');
    await listHttpTriggers(flags, context);
  });
  const remove = group.command('delete').argument('<name>').description('delete one');
  withNamespace(remove).action(async (name: string, flags: KubelessFlags) => {
    const { deleteHttpTrigger } = await import('./http-triggers.ts');
    await deleteHttpTrigger(name, flags, context);
  });
}

function gatewayOption(): Option {
  const description = 'ingress of Kubeless; with nginx the path is taken off';
  return new Option('--gateway <name>', description).choices(['nginx', 'traefik', 'kong']);
}

function withRoute(command: Command): Command {
  return withDryRun(withNamespace(command))
    .option('--path <path>', 'path at which it is called (default: any)')
    .option('--hostname <host>', 'host at which it is called')
    .option('--basic-auth-secret <name>', 'Secret with the users that are let in, as htpasswd')
    .option('--enableTLSAcme', 'serve it with a certificate that the Gateway makes')
    .option('--tls-secret <name>', 'Secret with the certificate of the host');
}

function withPayload(command: Command): Command {
  return withDryRun(withNamespace(command))
    .option('-p, --payload <json>', 'object to send with POST; without one: GET')
    .option('-f, --payload-from-file <path>', 'file with the object');
}
