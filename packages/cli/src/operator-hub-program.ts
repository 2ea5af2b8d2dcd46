import { type Command, Option } from 'commander';
import type { CliContext, DocumentFormat, GlobalOptions } from './cli-context.ts';
import type { ExplainFlags } from './commands/operator-explain.ts';
import type { OperatorAccountFlags } from './commands/operator-rbac.ts';
import type { ReplayRunFlags } from './commands/operator-replay.ts';
import type { LogsFlags, LsFlags } from './flags.ts';
import { addGlobalOptions, parseCount } from './program-options.ts';

/** Adds what looks after operators that the hub runs. */
export function addHubCommands(group: Command, context: CliContext): void {
  addList(group, context);
  addDescribe(group, context);
  addExplain(group, context);
  addReplay(group, context);
  addLogs(group, context);
  addAccount(group, context);
}

const nameOfOperator = 'name of the Operator';

function addList(group: Command, context: CliContext): void {
  const command = group
    .command('ls')
    .description('list Operators, how far their objects are, and whether they are awake')
    .option('-A, --all-namespaces', 'of all namespaces');
  addGlobalOptions(command, ['json', 'yaml', 'name', 'table']);
  command.action(async (options: LsFlags) => {
    const { listOperators } = await import('./commands/operator-ls.ts');
    await listOperators(options, context);
  });
}

function addDescribe(group: Command, context: CliContext): void {
  const command = group
    .command('describe')
    .description('show an Operator: what it watches, what it lacks, its last runs and Events')
    .argument('<name>', nameOfOperator);
  addGlobalOptions(command, ['json', 'yaml', 'name', 'table']);
  command.action(async (name: string, options: GlobalOptions) => {
    const { describeOperator } = await import('./commands/operator-describe.ts');
    await describeOperator({ ...options, name }, context);
  });
}

function addExplain(group: Command, context: CliContext): void {
  const command = group
    .command('explain')
    .description('say why an object is as it is: its last runs, what was filtered, what is due')
    .argument('<operator>', nameOfOperator)
    .argument('<object>', 'namespace/name; without one, of the namespace; /name of the cluster');
  addGlobalOptions(command, ['json', 'yaml']);
  command.action(async (operator: string, object: string, flags: ExplainFlags) => {
    const { explainObject } = await import('./commands/operator-explain.ts');
    await explainObject({ ...flags, operator, object }, context);
  });
}

function addReplay(group: Command, context: CliContext): void {
  const command = group
    .command('replay')
    .description('ask the function again what it was asked in a run: how its answer differs now')
    .argument('<run>', 'name of the run, as describe and explain show it');
  addGlobalOptions(command, ['json', 'yaml']);
  command.action(async (run: string, flags: ReplayRunFlags) => {
    const { replayRun } = await import('./commands/operator-replay.ts');
    await replayRun({ ...flags, run }, context);
  });
}

function addLogs(group: Command, context: CliContext): void {
  const command = group
    .command('logs')
    .description('print what the function of an Operator has logged')
    .argument('<name>', nameOfOperator)
    .option('-f, --follow', 'go on printing, also from Instances that wake later')
    .option('--previous', 'the run before the last restart')
    .option('--tail <lines>', 'only the last lines', parseCount)
    .option('--timestamps', 'with the time of each line');
  addGlobalOptions(command, ['json', 'yaml']);
  command.action(async (name: string, flags: LogsFlags) => {
    const { operatorLogs } = await import('./commands/operator-logs.ts');
    await operatorLogs({ ...flags, name }, context);
  });
}

function addAccount(group: Command, context: CliContext): void {
  const format = new Option('-o, --output <format>', 'output format')
    .choices(['yaml', 'json'])
    .default('yaml');
  const command = group
    .command('rbac')
    .description('print the ServiceAccount and the roles that operators need, and no more')
    .argument('<operator>', 'module that exports operators, or the name of an Operator')
    .option('--service-account <name>', 'its name (default: what is said, or the plural of a kind)')
    .addOption(format);
  addGlobalOptions(command);
  command.action(
    async (named: string, flags: OperatorAccountFlags & { readonly output: DocumentFormat }) => {
      const { printAccount } = await import('./commands/operator-rbac.ts');
      await printAccount({ ...flags, named }, context);
    },
  );
}
