import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { InstallFlags } from './commands/install.ts';
import type { InstallationFlags } from './commands/installation-status.ts';
import type { UninstallFlags } from './commands/uninstall.ts';
import { durationOption, outputOption } from './program-options.ts';

/** Adds what brings Fnlet into a cluster, and looks after it there. */
export function addInstallCommands(program: Command, context: CliContext): void {
  addInstall(program, context);
  addUninstall(program, context);
  addStatus(program, context);
  addDoctor(program, context);
}

function addWhere(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig ($KUBECONFIG, else ./.fnlet, else ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace of the installation', 'fnlet-system');
}

function addInstall(program: Command, context: CliContext): void {
  const install = program.command('install').description('bring Fnlet into a cluster, and wait');
  addChoices(addWhere(install)).action(async (flags: InstallFlags) => {
    const commands = await import('./commands/install.ts');
    await commands.install(flags, context);
  });
  const upgrade = program
    .command('upgrade')
    .description('bring an installation to this release, or to other values');
  addChoices(addWhere(upgrade)).action(async (flags: InstallFlags) => {
    const commands = await import('./commands/install.ts');
    await commands.upgrade(flags, context);
  });
}

function addChoices(command: Command): Command {
  return command
    .option('--values <file>', 'settings of the installation, see docs/cluster.md')
    .option('--image <name>', "image of Fnlet's own parts (default: none, as with --bundle)")
    .option('--bundle', 'carry Fnlet in ConfigMaps, onto the stock image of Node')
    .option('--registry <name>', 'where the images of Node and Python come from')
    .option('--with-nats', 'install NATS for the events, as nats.enabled in the values')
    .option('--dry-run', 'print what would be applied')
    .option('--wait', 'wait until everything runs', true)
    .option('--no-wait', 'do not wait until everything runs')
    .addOption(durationOption('--wait-timeout <duration>', 'how long to wait for it').default('5m'))
    .addOption(outputOption(['json', 'yaml']));
}

function addUninstall(program: Command, context: CliContext): void {
  const command = program
    .command('uninstall')
    .description('remove Fnlet from a cluster; Functions and other objects of users stay')
    .option('--purge', 'remove them too, with their kinds, the namespace and volumes');
  addWhere(command).action(async (flags: UninstallFlags) => {
    const { uninstall } = await import('./commands/uninstall.ts');
    await uninstall(flags, context);
  });
}

function addStatus(program: Command, context: CliContext): void {
  const command = program.command('status').description('show what of an installation runs');
  addWhere(command).addOption(outputOption(['json', 'yaml']));
  command.action(async (flags: InstallationFlags) => {
    const { printStatus } = await import('./commands/installation-status.ts');
    await printStatus(flags, context);
  });
}

function addDoctor(program: Command, context: CliContext): void {
  const command = program
    .command('doctor')
    .description('check a cluster and an installation, and say what to do');
  addWhere(command).addOption(outputOption(['json', 'yaml']));
  command.action(async (flags: InstallationFlags) => {
    const { doctor } = await import('./commands/doctor.ts');
    await doctor(flags, context);
  });
}
