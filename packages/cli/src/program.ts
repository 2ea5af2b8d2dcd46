import { settings } from '@fnlet/server/config';
import { fnletVersion } from '@fnlet/server/version';
import { Command, Option } from 'commander';
import { addCallsCommands } from './calls-program.ts';
import type { CliContext, GlobalOptions } from './cli-context.ts';
import { addClusterCommands } from './cluster-program.ts';
import { addEventsCommands } from './events-program.ts';
import { addExportCommands } from './export-program.ts';
import type {
  AutoscaleFlags,
  CallFlags,
  DeleteFlags,
  DeployFlags,
  DevFlags,
  EjectFlags,
  LogsFlags,
  LsFlags,
  SyncFlags,
  UpFlags,
} from './flags.ts';
import { addImportCommands } from './import-program.ts';
import { addInstallCommands } from './install-program.ts';
import { addOperatorCommands } from './operator-program.ts';
import {
  addGlobalOptions,
  durationOption,
  outputOption,
  parseCount,
  repeatableOption,
} from './program-options.ts';
import { addSetting, byFlagName } from './setting-options.ts';
import { templates } from './template.ts';
import { addTopCommands } from './top-program.ts';
import { addTrafficCommands } from './traffic-program.ts';
import { addTriggerCommands } from './trigger-program.ts';

function firstSteps(command: string): string {
  const steps = [
    ['up', 'leave it running, and in another terminal:'],
    ['init hello', 'writes hello/handler.ts'],
    ['deploy hello hello', 'prints where it answers'],
    ["call hello --path '/?name=Ada'", ''],
  ] as const;
  const lines = steps.map(([words, why]) => `  ${command} ${words.padEnd(20)}  ${why}`.trimEnd());
  return ['\nFirst steps:', ...lines].join('\n');
}

/**
 * The command line: names, flags and help. Each command's code is imported when it runs, so that
 * `fnlet call` does not pay for what only `fnlet up` needs.
 *
 * @param asked the first argument; a server that starts (`up`) does not wait for the flags of all
 *   the other commands
 */
export function createProgram(context: CliContext, asked?: string): Command {
  const program = new Command('fnlet')
    .description('Functions on Kubernetes without building an image, asleep at zero')
    .version(fnletVersion)
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    })
    .exitOverride()
    .showHelpAfterError(`(${context.command} --help shows what there is)`)
    .addHelpText('after', firstSteps(context.command));
  addUp(program, context);
  if (asked === 'up') return program;
  addDeploy(program, context);
  addDev(program, context);
  addSync(program, context);
  addAutoscale(program, context);
  addCall(program, context);
  addCallsCommands(program, context);
  addTriggerCommands(program, context);
  addEventsCommands(program, context);
  addLogs(program, context);
  addLs(program, context);
  addTopCommands(program, context);
  addDescribe(program, context);
  addTrafficCommands(program, context);
  addDelete(program, context);
  addRuntimes(program, context);
  addInit(program, context);
  addImportCommands(program, context);
  addExportCommands(program, context);
  addInstallCommands(program, context);
  addEject(program, context);
  addOperatorCommands(program, context);
  addClusterCommands(program, context);
  addCompletion(program, context);
  return program;
}

function addUp(program: Command, context: CliContext): void {
  const command = program
    .command('up')
    .description('start Fnlet on this machine: API, Gateway, controllers, Instances');
  for (const setting of Object.values(settings)) addSetting(command, setting);
  command.addOption(outputOption(['json', 'yaml']));
  command.action(async ({ output, ...flags }: UpFlags & Record<string, string | true>) => {
    const { up } = await import('./commands/up.ts');
    await up({ flags: byFlagName(flags), ...(output === undefined ? {} : { output }) }, context);
  });
}

function addDeploy(program: Command, context: CliContext): void {
  const command = program
    .command('deploy')
    .description('create or update a Function from a file or a directory, and print its URL')
    .argument('<name>', 'name of the Function')
    .argument('[source]', 'file or directory', '.');
  addSourceOptions(command)
    .option('--wait', 'wait until the Function is ready', true)
    .option('--no-wait', 'do not wait until the Function is ready')
    .option('--watch', 'go on watching the source and deploy each change')
    .addOption(
      durationOption('--wait-timeout <duration>', 'how long to wait for it').default('3m'),
    );
  addGlobalOptions(command, ['json', 'yaml', 'name']);
  command.action(async (name: string, source: string, options: DeployFlags) => {
    const { deploy } = await import('./commands/deploy.ts');
    await deploy({ ...options, name, source }, context);
  });
}

function addSync(program: Command, context: CliContext): void {
  const command = program
    .command('sync')
    .description('look at the repository or archive of a Function now, and wait for what it says')
    .argument('<name>', 'name of the Function')
    .addOption(
      durationOption('--wait-timeout <duration>', 'how long to wait for it').default('3m'),
    );
  addGlobalOptions(command, ['json', 'yaml', 'name']);
  command.action(async (name: string, options: SyncFlags) => {
    const { sync } = await import('./commands/sync.ts');
    await sync({ ...options, name }, context);
  });
}

function addSourceOptions(command: Command): Command {
  return command
    .option('--runtime <name>', 'runtime, see fnlet runtimes (default: by the files)')
    .option('--handler <export>', 'export to call, or module.export', 'default')
    .addOption(repeatableOption('-e, --env <key=value>', 'environment variable'))
    .addOption(repeatableOption('--from-literal <key=value>', 'secret environment variable'))
    .option('--from-env-file <file>', 'secret environment variables, one KEY=VALUE a line')
    .option('--dependencies <file>', 'package.json or the like that is not among the source files')
    .option('--min <count>', 'Instances that never sleep', parseCount)
    .option('--max <count>', 'most Instances', parseCount)
    .addOption(
      durationOption('--idle-after <duration>', 'sleep after so long without a call, 0 for never'),
    )
    .addOption(
      durationOption('--timeout <duration>', 'how long an answer may take to begin, or pause'),
    );
}

function addDev(program: Command, context: CliContext): void {
  const command = program
    .command('dev')
    .description('deploy, follow the logs and deploy again at every change, until Ctrl-C')
    .argument('[source]', 'file or directory', '.')
    .option('--name <name>', 'name of the Function (default: that of the directory)');
  addGlobalOptions(addSourceOptions(command));
  command.action(async (source: string, options: DevFlags) => {
    const { dev } = await import('./commands/dev.ts');
    await dev({ ...options, source }, context);
  });
}

function addAutoscale(program: Command, context: CliContext): void {
  const command = program
    .command('autoscale')
    .description('say how many Instances a Function has, and what that goes by')
    .argument('<name>', 'name of the Function')
    .option('--min <instances>', 'always awake; 0 lets it sleep', parseCount)
    .option('--max <instances>', 'never more', parseCount)
    .addOption(
      new Option(
        '--metric <name>',
        'what it goes by; rps are calls a second, the last two percent',
      ).choices(['concurrency', 'rps', 'cpu', 'memory']),
    )
    .option('--target <amount>', 'how much of that one Instance should have', parseCount)
    .addOption(durationOption('--idle-after <duration>', 'without a call for so long, it sleeps'))
    .option('--predict', 'meet what comes back every day or week ahead')
    .option('--no-predict', 'no longer');
  addGlobalOptions(command, ['json', 'yaml', 'name']);
  command.action(async (name: string, options: AutoscaleFlags) => {
    const { autoscale } = await import('./commands/autoscale.ts');
    await autoscale({ ...options, name }, context);
  });
}

function addCall(program: Command, context: CliContext): void {
  const command = program
    .command('call')
    .description('call a Function and print its answer')
    .argument('<name>', 'name of the Function')
    .option('-d, --data <text>', 'request body; @file reads a file, @- standard input')
    .addOption(repeatableOption('-H, --header <name: value>', 'request header'))
    .option('-X, --method <method>', 'method (default GET, POST with --data)')
    .option('--path <path>', 'path and query below the Function', '/')
    .option('--async', 'do not wait for the answer: it is looked up later, see fnlet calls')
    .option('-i, --include', 'print status and headers of the answer too');
  addGlobalOptions(command, ['json', 'yaml']);
  command.action(async (name: string, options: CallFlags) => {
    const { call } = await import('./commands/call.ts');
    await call({ ...options, name }, context);
  });
}

function addLogs(program: Command, context: CliContext): void {
  const command = program
    .command('logs')
    .description('print what the Instances of a Function have logged')
    .argument('<name>', 'name of the Function')
    .option('-f, --follow', 'go on printing, also from Instances that wake later')
    .option('--previous', 'the run before the last restart')
    .option('--tail <lines>', 'only the last lines', parseCount)
    .option('--timestamps', 'with the time of each line');
  addGlobalOptions(command, ['json', 'yaml']);
  command.action(async (name: string, options: LogsFlags) => {
    const { logs } = await import('./commands/logs.ts');
    await logs({ ...options, name }, context);
  });
}

function addLs(program: Command, context: CliContext): void {
  const command = program
    .command('ls')
    .description('list Functions')
    .option('-A, --all-namespaces', 'of all namespaces');
  addGlobalOptions(command, ['json', 'yaml', 'name', 'table']);
  command.action(async (options: LsFlags) => {
    const { ls } = await import('./commands/ls.ts');
    await ls(options, context);
  });
}

function addRuntimes(program: Command, context: CliContext): void {
  const command = program
    .command('runtimes')
    .description('list what Functions can run on, and what the machine has of it');
  addGlobalOptions(command, ['json', 'yaml', 'name', 'table']);
  command.action(async (options: GlobalOptions) => {
    const { runtimes } = await import('./commands/runtimes.ts');
    await runtimes(options, context);
  });
}

function addDescribe(program: Command, context: CliContext): void {
  const command = program
    .command('describe')
    .description('show a Function, its Instances, what happened and what to do about it')
    .argument('<name>', 'name of the Function');
  addGlobalOptions(command, ['json', 'yaml']);
  command.action(async (name: string, options: GlobalOptions) => {
    const { describe } = await import('./commands/describe.ts');
    await describe({ ...options, name }, context);
  });
}

function addDelete(program: Command, context: CliContext): void {
  const command = program
    .command('delete')
    .description('delete Functions and everything that belongs to them')
    .argument('<names...>', 'names of the Functions')
    .option('--no-wait', 'do not wait until they are gone')
    .option('--ignore-not-found', 'a Function that does not exist is no error');
  addGlobalOptions(command, ['json', 'yaml', 'name']);
  command.action(async (names: string[], options: DeleteFlags) => {
    const { deleteFunctions } = await import('./commands/delete.ts');
    await deleteFunctions({ ...options, names }, context);
  });
}

function addInit(program: Command, context: CliContext): void {
  const names = Object.keys(templates);
  const described = Object.entries(templates).map(
    ([name, { description }]) => `${name}: ${description}`,
  );
  program
    .command('init')
    .description('write the files of a new Function')
    .argument('[directory]', 'where', '.')
    .addOption(
      new Option('--template <name>', described.join('; '))
        .choices(names)
        .default(names[0] ?? 'typescript'),
    )
    .option('--force', 'overwrite files that exist')
    .action(async (directory: string, options: { template: string; force?: boolean }) => {
      const { init } = await import('./commands/init.ts');
      await init({ ...options, directory }, context);
    });
}

function addEject(program: Command, context: CliContext): void {
  const command = program
    .command('eject')
    .description('write a Function as a plain project that builds and runs without Fnlet')
    .argument('<name>', 'name of the Function')
    .option('-d, --dir <directory>', 'where (default: a directory of that name)')
    .option('--target-name <name>', 'name of the project (default: that of the Function)')
    .option('--force', 'write into a directory that is not empty');
  addGlobalOptions(command).action(async (name: string, options: EjectFlags) => {
    const { eject } = await import('./commands/eject.ts');
    await eject({ ...options, name }, context);
  });
}

function addCompletion(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('print a completion script; for example: source <(fnlet completion bash)')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      const { completion } = await import('./commands/completion.ts');
      completion(shell, context);
    });
  const hidden = program.command('__complete', { hidden: true }).argument('[words...]');
  hidden.allowUnknownOption().action(async (words: string[]) => {
    const { complete } = await import('./commands/completion.ts');
    await complete(program, words, context);
  });
}
