import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { ImportOptions } from './commands/import.ts';
import type { ForeignSystem } from './foreign-system.ts';

/** The systems that `fnlet import` knows; each is loaded when it is asked for. */
const systems: Readonly<Record<string, () => Promise<ForeignSystem>>> = {
  kyma: async () => (await import('./kyma-system.ts')).kymaSystem,
  kubeless: async () => (await import('./kubeless-system.ts')).kubelessSystem,
};

/** Adds `fnlet import …`: how people bring along what they have. */
export function addImportCommands(program: Command, context: CliContext): void {
  const group = program
    .command('import')
    .description('write what the objects of another system are in Fnlet');
  for (const [name, load] of Object.entries(systems)) {
    group
      .command(name)
      .description(`from manifests of ${name}, or from a cluster that has them`)
      .argument('<sources...>', 'files, directories, - for standard input, or: cluster')
      .option('--kubeconfig <file>', 'kubeconfig ($KUBECONFIG, else ./.fnlet, else ~/.kube/config)')
      .option('--context <name>', 'context of the kubeconfig')
      .option('-n, --namespace <name>', 'namespace (default: the one of the context)')
      .option('-A, --all-namespaces', 'of all namespaces')
      .addOption(
        new Option('-o, --output <format>', 'output format')
          .choices(['yaml', 'json'])
          .default('yaml'),
      )
      .action(async (sources: string[], options: Omit<ImportOptions, 'sources'>) => {
        const { importFrom } = await import('./commands/import.ts');
        await importFrom(await load(), { ...options, sources }, context);
      });
  }
}
