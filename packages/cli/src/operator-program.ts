import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, DocumentFormat, GlobalOptions } from './cli-context.ts';
import type { OperatorDeployFlags } from './commands/operator-deploy.ts';
import type { OperatorRunFlags } from './commands/operator-run.ts';
import { addHubCommands } from './operator-hub-program.ts';
import { durationOption, repeatableOption } from './program-options.ts';

/** Adds `fnlet operator …`: what people who write operators need. */
export function addOperatorCommands(program: Command, context: CliContext): void {
  const group = program.command('operator').description('write, run and install operators');
  addInit(group, context);
  addRun(group, context);
  addDeploy(group, context);
  addDefinitions(group, context);
  addHubCommands(group, context);
  addTypes(group, context);
}

interface ManifestFlags {
  readonly output: DocumentFormat;
}

interface DefinitionFlags extends ManifestFlags {
  readonly webhookService?: string;
  readonly webhookUrl?: string;
}

function manifestFormat(): Option {
  return new Option('-o, --output <format>', 'output format')
    .choices(['yaml', 'json'])
    .default('yaml');
}

function addInit(group: Command, context: CliContext): void {
  group
    .command('init')
    .description('write the files of a new operator, with its test')
    .argument('[directory]', 'where; it names the kind', '.')
    .option('--force', 'overwrite files that exist')
    .action(async (directory: string, options: { force?: boolean }) => {
      const { initOperator } = await import('./commands/operator-init.ts');
      await initOperator({ ...options, directory }, context);
    });
}

function addRun(group: Command, context: CliContext): void {
  const command = group
    .command('run')
    .description('run the operators that a module exports, until Ctrl-C')
    .argument('<file>', 'module that exports operators');
  addConnection(command)
    .option('-n, --namespace <name>', 'namespace of the Leases (default: that of the context)')
    .option('--leader-elect', 'of several replicas, only one acts')
    .option('--shards', 'several replicas share the objects')
    .option('--health-port <port>', 'serve /healthz, /readyz and /metrics there', parsePort)
    .option('--webhook-port <port>', 'where webhooks are served (default: a free port)', parsePort)
    .option('--webhook-service <name>', 'the Service by which the API reaches the webhooks')
    .option('--webhook-url <url>', 'the address by which the API reaches them')
    .addOption(logLevel())
    .option('--no-install', 'take the definitions of the kinds to be there')
    .action(async (file: string, flags: OperatorRunFlags) => {
      const { runOperatorFile } = await import('./commands/operator-run.ts');
      await runOperatorFile(file, flags, context);
    });
}

function addDeploy(group: Command, context: CliContext): void {
  const command = group
    .command('deploy')
    .description('hand the operators of a module to the hub: they sleep while nothing changes')
    .argument('<file>', 'module that exports operators');
  addConnection(command)
    .option('-n, --namespace <name>', 'namespace (default: the one of the context)')
    .option('--name <name>', 'name of the Operator (default: that of the operator, or of its kind)')
    .option('--runtime <name>', 'runtime of its function (default: by the ending of the file)')
    .option('--service-account <name>', 'an account that is there (default: one of its own)')
    .addOption(repeatableOption('--env <KEY=VALUE>', 'environment of its function'))
    .option('--dry-run', 'print the manifests, and apply nothing')
    .addOption(new Option('-o, --output <format>', 'print manifests').choices(['yaml', 'json']))
    .option('--no-wait', 'do not wait until the hub runs it')
    .addOption(durationOption('--wait-timeout <time>', 'how long to wait').default('60s'))
    .action(async (file: string, flags: OperatorDeployFlags) => {
      const { deployOperators } = await import('./commands/operator-deploy.ts');
      await deployOperators(file, flags, context);
    });
}

function logLevel(): Option {
  const levels = ['debug', 'info', 'warn', 'error'];
  return new Option('--log-level <level>', 'how much to say').choices(levels).default('info');
}

function addConnection(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig ($KUBECONFIG, else ./.fnlet, else ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig');
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('Expected a port, 0 to 65535.');
}

function addDefinitions(group: Command, context: CliContext): void {
  group
    .command('crd')
    .description('print the CustomResourceDefinitions of the kinds that a module defines')
    .argument('<file>', 'module that exports operators or kinds')
    .option('--webhook-service <namespace/name>', 'the Service by which the API reaches webhooks')
    .option('--webhook-url <url>', 'the address by which the API reaches them')
    .addOption(manifestFormat())
    .action(async (file: string, options: DefinitionFlags) => {
      const { printDefinitions } = await import('./commands/operator-manifests.ts');
      const { webhookService: service, webhookUrl: url, output } = options;
      await printDefinitions({ file, output, service, url }, context);
    });
}

function addTypes(group: Command, context: CliContext): void {
  const command = group
    .command('types')
    .description('print the TypeScript types of a kind that others have defined')
    .argument('<source>', 'name of a CustomResourceDefinition, or a file with some')
    .option('--api-version <name>', 'version of the kind (default: the first that is served)');
  addConnection(command).action(
    async (source: string, options: GlobalOptions & { apiVersion?: string }) => {
      const { printTypes } = await import('./commands/operator-types.ts');
      await printTypes({ ...options, source }, context);
    },
  );
}
