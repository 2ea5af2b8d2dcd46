import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { ExportFlags, PromoteFlags } from './flags.ts';
import { addGlobalOptions, outputOption } from './program-options.ts';

const names = 'only these: name, or kind/name; with a Function comes what leads to it';

/** Adds what brings functions from one API to another. */
export function addExportCommands(program: Command, context: CliContext): void {
  addExport(program, context);
  addPromote(program, context);
}

function addExport(program: Command, context: CliContext): void {
  const command = program
    .command('export')
    .description(
      'write Functions, Triggers, Operators and Brokers as manifests, with what they name',
    )
    .argument('[names...]', names)
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--with-secrets', 'Secrets that they name as well, with their values')
    .option('-d, --dir <directory>', 'a file for each object (default: standard output)')
    .option('--force', 'write into a directory that is not empty');
  addGlobalOptions(command)
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['yaml', 'json'])
        .default('yaml'),
    )
    .action(async (chosen: string[], options: ExportFlags) => {
      const { exportObjects } = await import('./commands/export.ts');
      await exportObjects({ ...options, names: chosen }, context);
    });
}

function addPromote(program: Command, context: CliContext): void {
  const command = program
    .command('promote')
    .description('bring Functions, Triggers, Operators and Brokers to another cluster')
    .argument('[names...]', names)
    .requiredOption('--to-context <name>', 'context of the cluster that they are brought to')
    .option('--to-kubeconfig <file>', 'its kubeconfig ($KUBECONFIG, else ~/.kube/config)')
    .option('--to-namespace <name>', 'its namespace (default: the one of that context)')
    .option('--with-secrets', 'Secrets that they name as well')
    .option('--dry-run', 'only show what would change')
    .option('--force-conflicts', 'take over fields that somebody else has set there')
    .option('-y, --yes', 'do not ask');
  addGlobalOptions(command)
    .addOption(outputOption(['json', 'yaml', 'name']))
    .action(async (chosen: string[], options: PromoteFlags) => {
      const { promote } = await import('./commands/promote.ts');
      await promote({ ...options, names: chosen }, context);
    });
}
