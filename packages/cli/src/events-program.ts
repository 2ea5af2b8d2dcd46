import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { DeadFlags, DeadListFlags, DropFlags, ReplayFlags } from './commands/dead-letters.ts';
import type { SendFlags } from './commands/events-send.ts';
import type { TailFlags } from './commands/events-tail.ts';
import { addGlobalOptions, repeatableOption } from './program-options.ts';

/** Adds `fnlet events …`: what became of events. */
export function addEventsCommands(program: Command, context: CliContext): void {
  const group = program.command('events').description('look after events that Triggers deliver');
  addSend(group, context);
  addTail(group, context);
  const dead = group.command('dead').description('look after events that were given up');
  addList(dead, context);
  addShow(dead, context);
  addReplay(dead, context);
  addDrop(dead, context);
}

function addSend(group: Command, context: CliContext): void {
  const command = group
    .command('send')
    .description('send an event to a Trigger whose source is http with events')
    .argument('<trigger>', 'name of the Trigger')
    .requiredOption('--type <type>', 'type of the event')
    .option('--source <source>', 'where it comes from', '/fnlet/cli')
    .option('--id <id>', 'its id (default: a new one)')
    .option('--subject <subject>', 'what it is about')
    .addOption(repeatableOption('--attribute <name=value>', 'another attribute'))
    .option('-d, --data <text>', 'its data; @file reads a file, @- standard input')
    .option('--content-type <type>', 'of the data (default: JSON, text or bytes, as they look)');
  addGlobalOptions(command, ['json', 'yaml']);
  command.action(async (trigger: string, flags: SendFlags) => {
    const { sendEvent } = await import('./commands/events-send.ts');
    await sendEvent({ ...flags, trigger }, context);
  });
}

function addTail(group: Command, context: CliContext): void {
  const command = group
    .command('tail')
    .description('follow what happens to events, until Ctrl-C')
    .argument('[trigger]', 'only those of this Trigger (default: of all, and of all Brokers)')
    .option('--broker <name>', 'only those of this Broker')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option(
      '--since <time>',
      'what is kept from then on first: a time, or how long ago, such as 5m',
    )
    .option('--data', 'with the data of the events')
    .option('--no-follow', 'only what is kept since then');
  addGlobalOptions(command, ['table', 'json']);
  command.action(async (trigger: string | undefined, flags: TailFlags) => {
    const { tailEvents } = await import('./commands/events-tail.ts');
    await tailEvents({ ...flags, trigger }, context);
  });
}

function addList(dead: Command, context: CliContext): void {
  const command = dead
    .command('ls')
    .description('list dead letters, those of a Trigger the first first')
    .argument('[trigger]', 'only those of this Trigger')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--limit <count>', 'at most so many (the API gives at most 500)');
  addGlobalOptions(addFilter(command), ['table', 'json', 'yaml']);
  command.action(async (trigger: string | undefined, flags: DeadListFlags) => {
    const { listDeadLetters } = await import('./commands/dead-letters.ts');
    await listDeadLetters({ ...flags, trigger }, context);
  });
}

function addShow(dead: Command, context: CliContext): void {
  const command = dead
    .command('show')
    .description('show a dead letter: why it is one, and its event')
    .argument('<name>', 'name of the dead letter, as ls shows it');
  addGlobalOptions(command, ['json', 'yaml']);
  command.action(async (name: string, flags: DeadFlags) => {
    const { showDeadLetter } = await import('./commands/dead-letters.ts');
    await showDeadLetter({ ...flags, name }, context);
  });
}

function addReplay(dead: Command, context: CliContext): void {
  const command = dead
    .command('replay')
    .description('deliver the events of dead letters again; those that are taken are none any more')
    .argument('[trigger]', 'those of this Trigger, or the name of one dead letter')
    .option('--all', 'those of all Triggers of the namespace')
    .option('--to <target>', 'a Function, function/…, trigger/…, broker/… or a URL instead')
    .option('--rate <events>', 'so many a second (default: as fast as they are taken)');
  addGlobalOptions(addFilter(command), ['json', 'yaml']);
  command.action(async (trigger: string | undefined, flags: ReplayFlags) => {
    const { replayDeadLetters } = await import('./commands/dead-letters.ts');
    await replayDeadLetters({ ...flags, trigger }, context);
  });
}

function addDrop(dead: Command, context: CliContext): void {
  const command = dead
    .command('drop')
    .description('forget dead letters')
    .argument('[trigger]', 'those of this Trigger, or the name of one dead letter')
    .option('--all', 'those of all Triggers of the namespace');
  addGlobalOptions(addFilter(command), ['json', 'yaml']);
  command.action(async (trigger: string | undefined, flags: DropFlags) => {
    const { dropDeadLetters } = await import('./commands/dead-letters.ts');
    await dropDeadLetters({ ...flags, trigger }, context);
  });
}

const deadReasons = ['Refused', 'Exhausted', 'Unreadable', 'TooLarge'];

function addFilter(command: Command): Command {
  return command
    .option('--type <type>', 'only events of this type')
    .option('--source <source>', 'only events of this source')
    .option('--id <id>', 'only the event with this id')
    .addOption(
      new Option('--reason <reason>', 'only what was given up for it').choices(deadReasons),
    )
    .option('--since <time>', 'given up then or later: a time, or how long ago, such as 90m')
    .option('--until <time>', 'given up before then');
}
