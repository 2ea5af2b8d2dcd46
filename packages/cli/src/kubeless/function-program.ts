import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import type { DeployFunctionFlags } from './deploy-function.ts';
import type { KubelessFlags, KubelessFormat } from './kubeless-connection.ts';

/** Adds `kubeless function …`. */
export function addFunctionCommands(program: Command, context: CliContext): void {
  const group = program.command('function').description('deploy, change and call functions');
  addDeploy(group, context);
  addUpdate(group, context);
  addDelete(group, context);
  addList(group, context);
  addDescribe(group, context);
  addCall(group, context);
  addLogs(group, context);
  addTop(group, context);
}

/** Adds the namespace, which every command takes. */
export function withNamespace(command: Command): Command {
  return command.option('-n, --namespace <name>', 'namespace (default: that of the kubeconfig)');
}

/** Adds the format, where there is a choice. */
export function withOutput(command: Command, formats: readonly string[]): Command {
  return command.addOption(new Option('-o, --output <format>', 'output format').choices(formats));
}

/** Adds what a dry run takes. */
export function withDryRun(command: Command): Command {
  return command
    .addOption(
      new Option('-o, --output <format>', 'format of a dry run')
        .choices(['yaml', 'json'])
        .default('yaml'),
    )
    .option('--dryrun', 'print the objects, and send nothing');
}

function addDeploy(group: Command, context: CliContext): void {
  const command = group.command('deploy').argument('<name>').description('deploy a function');
  withFunctionFlags(command)
    .option('--schedule <cron>', 'call it then, by a CronJobTrigger of the same name')
    .action(async (name: string, flags: DeployFunctionFlags & { schedule?: string }) => {
      const { deployFunction } = await import('./deploy-function.ts');
      await deployFunction(name, flags, context);
    });
}

function addUpdate(group: Command, context: CliContext): void {
  const command = group.command('update').argument('<name>').description('change a function');
  withFunctionFlags(command).action(async (name: string, flags: DeployFunctionFlags) => {
    const { updateFunction } = await import('./deploy-function.ts');
    await updateFunction(name, flags, context);
  });
}

function withFunctionFlags(command: Command): Command {
  command
    .option('-r, --runtime <name>', 'runtime, see kubeless get-server-config')
    .option('--handler <module.function>', 'what to call')
    .option('-f, --from-file <path>', 'file or URL of the code, or of an archive of it')
    .addOption(listOption('-l, --label <key=value,...>', 'labels'))
    .addOption(listOption('--secrets <name,...>', 'Secrets to mount at /<name>'))
    .addOption(repeatable('-e, --env <key=value>', 'environment variable'))
    .addOption(listOption('--node-selectors <key=value,...>', 'kept, and without effect here'))
    .option('--service-account <name>', 'ServiceAccount that it acts as')
    .option('-d, --dependencies <path>', 'file or URL of its dependency file')
    .option('--memory <quantity>', 'memory that it requests, and its limit')
    .option('--cpu <quantity>', 'CPU that it requests, and its limit')
    .option('--runtime-image <image>', 'image to run instead: refused, there are no images here')
    .addOption(
      new Option('--image-pull-policy <policy>', 'kept, and without effect here').choices([
        'Always',
        'IfNotPresent',
        'Never',
      ]),
    )
    .option('--timeout <seconds>', 'how long a call may take (default 180)')
    .option('--headless', 'as Services of functions always are here')
    .option('--port <number>', 'kept in the Service of the function (default 8080)', parsePort)
    .option('--servicePort <number>', 'kept in the Service of the function', parsePort);
  return withDryRun(withNamespace(command));
}

function addDelete(group: Command, context: CliContext): void {
  const command = group.command('delete').argument('<name>').description('delete a function');
  withNamespace(command).action(async (name: string, flags: KubelessFlags) => {
    const { deleteFunction } = await import('./function-commands.ts');
    await deleteFunction(name, flags, context);
  });
}

function addList(group: Command, context: CliContext): void {
  const command = group
    .command('list')
    .alias('ls')
    .argument('[names...]')
    .description('list functions');
  withOutput(withNamespace(command), ['json', 'yaml', 'wide']).action(
    async (names: string[], flags: KubelessFlags & { output?: KubelessFormat }) => {
      const { listFunctions } = await import('./function-commands.ts');
      await listFunctions(names, flags, context);
    },
  );
}

function addDescribe(group: Command, context: CliContext): void {
  const command = group.command('describe').argument('<name>').description('show a function');
  withOutput(withNamespace(command), ['json', 'yaml']).action(
    async (name: string, flags: KubelessFlags & { output?: DocumentFormat }) => {
      const { describeFunction } = await import('./function-commands.ts');
      await describeFunction(name, flags, context);
    },
  );
}

function addCall(group: Command, context: CliContext): void {
  const command = group.command('call').argument('<name>').description('call a function');
  withNamespace(command)
    .option('-d, --data <text>', 'what to send with POST; without it: GET')
    .action(async (name: string, flags: KubelessFlags & { data?: string }) => {
      const { callFunction } = await import('./function-commands.ts');
      await callFunction(name, flags, context);
    });
}

function addLogs(group: Command, context: CliContext): void {
  const command = group.command('logs').argument('<name>').description('print its logs');
  withNamespace(command)
    .option('-f, --follow', 'go on printing')
    .action(async (name: string, flags: KubelessFlags & { follow?: boolean }) => {
      const { printFunctionLogs } = await import('./function-commands.ts');
      await printFunctionLogs(name, flags, context);
    });
}

function addTop(group: Command, context: CliContext): void {
  const command = group.command('top').alias('stats').description('show how often it was called');
  withOutput(withNamespace(command), ['json', 'yaml'])
    .option('-f, --function <name>', 'only this one')
    .action(async (flags: KubelessFlags & { function?: string; output?: DocumentFormat }) => {
      const { printCallCounts } = await import('./function-commands.ts');
      await printCallCounts(flags, context);
    });
}

function repeatable(flags: string, description: string): Option {
  const add = (value: string, before: readonly string[]): readonly string[] => [...before, value];
  return new Option(flags, `${description} (repeatable)`).argParser(add).default([], 'none');
}

/** As `repeatable`, and several at once with commas between them. */
function listOption(flags: string, description: string): Option {
  const add = (value: string, before: readonly string[]): readonly string[] => [
    ...before,
    ...value.split(',').filter((word) => word !== ''),
  ];
  return new Option(flags, `${description} (repeatable)`).argParser(add).default([], 'none');
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a number from 1 to 65535.');
}
