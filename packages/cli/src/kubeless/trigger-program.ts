import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { countOption, repeatableOption } from '../program-options.ts';
import type { CronTriggerFlags } from './cron-triggers.ts';
import { withDryRun, withNamespace } from './function-program.ts';
import type { HttpTriggerCommandFlags } from './http-triggers.ts';
import type { CreateStreamFlags, PublishRecordFlags } from './kinesis-streams.ts';
import type { KinesisTriggerCommandFlags } from './kinesis-triggers.ts';
import type { KubelessFlags } from './kubeless-connection.ts';
import type { NewKinesisTrigger } from './plan-kinesis-trigger.ts';
import type { TopicTriggerFlags, TopicWord } from './plan-topic-trigger.ts';
import type { PublishFlags } from './publish-nats.ts';
import type { TopicTriggerCommandFlags } from './topic-triggers.ts';

/** Adds `kubeless trigger …` and `kubeless topic …`. */
export function addTriggerCommands(program: Command, context: CliContext): void {
  const group = program.command('trigger').description('what calls functions');
  addHttp(group, context);
  addCronJob(group, context);
  addTopic(group, 'kafka', context);
  addPublish(addTopic(group, 'nats', context), context);
  addKinesis(group, context);
  addMissing(program, 'topic', 'use the tools of the broker');
}

function addMissing(group: Command, name: string, instead: string): void {
  group
    .command(name)
    .argument('[words...]')
    .description('not there')
    .allowUnknownOption()
    .action(() => {
      const words = [name];
      for (let at = group; at.parent !== null; at = at.parent) words.unshift(at.name());
      const path = words.join(' ');
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
    .action(async (name: string, flags: CronTriggerFlags & RequiredCron) => {
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

interface RequiredCron {
  readonly function: string;
  readonly schedule: string;
}

/** Adds the commands of triggers of a topic, which differ in their kind alone. */
function addTopic(parent: Command, word: TopicWord, context: CliContext): Command {
  const load = () => import('./topic-triggers.ts');
  const group = parent.command(word).description('topics whose messages functions get');
  const create = group.command('create').argument('<name>').description('add one');
  withDryRun(withNamespace(create))
    .requiredOption('--trigger-topic <topic>', 'topic whose messages they are')
    .requiredOption('--function-selector <labels>', 'labels of the functions, as key=value,…')
    .action(async (name: string, flags: TopicFlags & Required<TopicTriggerFlags>) => {
      await (await load()).createTopicTrigger(word, { ...flags, name }, context);
    });
  const update = group.command('update').argument('<name>').description('change one');
  withDryRun(withNamespace(update))
    .option('--trigger-topic <topic>', 'topic whose messages they are')
    .option('--function-selector <labels>', 'labels of the functions, as key=value,…')
    .action(async (name: string, flags: TopicFlags) => {
      await (await load()).updateTopicTrigger(word, { ...flags, name }, context);
    });
  const list = group.command('list').alias('ls').description('list them');
  withNamespace(list).action(async (flags: KubelessFlags) => {
    await (await load()).listTopicTriggers(word, flags, context);
  });
  const remove = group.command('delete').argument('<name>').description('delete one');
  withNamespace(remove).action(async (name: string, flags: KubelessFlags) => {
    await (await load()).deleteTopicTrigger(word, { ...flags, name }, context);
  });
  return group;
}

function addKinesis(parent: Command, context: CliContext): void {
  const load = () => import('./kinesis-triggers.ts');
  const group = parent.command('kinesis').description('streams whose records a function gets');
  const create = group.command('create').argument('<name>').description('add one');
  withDryRun(withNamespace(create))
    .requiredOption('--stream <name>', 'stream whose records they are')
    .requiredOption('--aws-region <region>', 'region that it is in')
    .requiredOption('--shard-id <id>', 'shard that is read; * for all')
    .requiredOption('--function-name <name>', 'function to call')
    .requiredOption('--secret <name>', 'Secret with the keys of AWS')
    .option('--endpoint <url>', 'where Kinesis answers (default: where AWS has it)')
    .action(async (name: string, flags: KinesisTriggerCommandFlags & NewKinesisTrigger) => {
      await (await load()).createKinesisTrigger(name, flags, context);
    });
  const update = group.command('update').argument('<name>').description('change one');
  withDryRun(withNamespace(update))
    .option('--stream <name>', 'stream whose records they are')
    .option('--aws-region <region>', 'region that it is in')
    .option('--shard-id <id>', 'shard that is read; * for all')
    .option('--function-name <name>', 'function to call')
    .option('--secret <name>', 'Secret with the keys of AWS')
    .option('--endpoint <url>', 'where Kinesis answers')
    .action(async (name: string, flags: KinesisTriggerCommandFlags) => {
      await (await load()).updateKinesisTrigger(name, flags, context);
    });
  const list = group.command('list').alias('ls').description('list them');
  withNamespace(list).action(async (flags: KubelessFlags) => {
    await (await load()).listKinesisTriggers(flags, context);
  });
  const remove = group.command('delete').argument('<name>').description('delete one');
  withNamespace(remove).action(async (name: string, flags: KubelessFlags) => {
    await (await load()).deleteKinesisTrigger(name, flags, context);
  });
  addKinesisStreams(group, context);
}

/** Adds what makes streams and writes to them. */
function addKinesisStreams(group: Command, context: CliContext): void {
  const load = () => import('./kinesis-streams.ts');
  const withPlace = (command: Command): Command =>
    withNamespace(command)
      .requiredOption('--aws-region <region>', 'region that it is in')
      .requiredOption('--secret <name>', 'Secret with the keys of AWS')
      .option('--endpoint <url>', 'where Kinesis answers (default: where AWS has it)');
  withPlace(group.command('publish').description('write records to a stream'))
    .requiredOption('--stream <name>', 'stream to write to')
    .requiredOption('--partition-key <key>', 'what says which shard they go to')
    .addOption(repeatableOption('--records <text>', 'data of a record'))
    .action(async (flags: PublishRecordFlags) => {
      await (await load()).publishRecords(flags, context);
    });
  withPlace(group.command('create-stream').description('make a stream'))
    .requiredOption('--stream-name <name>', 'what it is called')
    .addOption(countOption('--shard-count <count>', 'how many shards it has').default(1))
    .action(async (flags: CreateStreamFlags) => {
      await (await load()).createStream(flags, context);
    });
}

type TopicFlags = Omit<TopicTriggerCommandFlags, 'name'>;

function addPublish(group: Command, context: CliContext): void {
  group
    .command('publish')
    .description('send a message to a topic')
    .requiredOption('--url <url>', 'server, such as nats://localhost:4222')
    .option('--topic <topic>', 'topic', 'kubeless')
    .requiredOption('--message <text>', 'what to send')
    .action(async (flags: PublishFlags) => {
      const { publishToNats } = await import('./publish-nats.ts');
      await publishToNats(flags, context);
    });
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
