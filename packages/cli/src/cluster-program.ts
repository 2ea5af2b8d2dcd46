import { controllerSettings, gatewaySettings } from '@fnlet/server/cluster/settings';
import type { Setting } from '@fnlet/server/config';
import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { ClusterPartFlags } from './flags.ts';
import { addSetting, byFlagName } from './setting-options.ts';

/** Adds the commands that Pods of an installation run. */
export function addClusterCommands(program: Command, context: CliContext): void {
  addPart(program, {
    name: 'controller',
    description: 'run the controller of a cluster: one of its replicas',
    settings: controllerSettings,
    async run(flags) {
      const { controller } = await import('./commands/controller.ts');
      await controller(flags, context);
    },
  });
  addPart(program, {
    name: 'gateway',
    description: 'run a Gateway of a cluster: one of its replicas',
    settings: gatewaySettings,
    async run(flags) {
      const { gateway } = await import('./commands/gateway.ts');
      await gateway(flags, context);
    },
  });
}

function addPart(
  program: Command,
  part: {
    readonly name: string;
    readonly description: string;
    readonly settings: Readonly<Record<string, Setting>>;
    run(flags: ClusterPartFlags): Promise<void>;
  },
): void {
  const command = program
    .command(part.name)
    .description(part.description)
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: that of this Pod)')
    .option('--context <name>', 'context of the kubeconfig');
  for (const setting of Object.values(part.settings)) addSetting(command, setting);
  command.action(
    async ({ kubeconfig, context, ...others }: Readonly<Record<string, string | true>>) => {
      await part.run({
        flags: byFlagName(others),
        ...(typeof kubeconfig === 'string' ? { kubeconfig } : {}),
        ...(typeof context === 'string' ? { context } : {}),
      });
    },
  );
}
