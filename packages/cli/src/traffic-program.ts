import { type Command, Option } from 'commander';
import type { CliContext, GlobalOptions } from './cli-context.ts';
import type { RollbackFlags } from './flags.ts';
import { addGlobalOptions, durationOption } from './program-options.ts';

/** Adds the commands about the Revisions of a Function and where its calls go. */
export function addTrafficCommands(program: Command, context: CliContext): void {
  addRevisions(program, context);
  addRollback(program, context);
}

function addRevisions(program: Command, context: CliContext): void {
  const command = program
    .command('revisions')
    .description('list the Revisions of a Function, and what each gets of its calls')
    .argument('<name>', 'name of the Function');
  addGlobalOptions(command, ['json', 'yaml', 'name', 'table']);
  command.action(async (name: string, options: GlobalOptions) => {
    const { revisions } = await import('./commands/revisions.ts');
    await revisions({ ...options, name }, context);
  });
}

function addRollback(program: Command, context: CliContext): void {
  const command = program
    .command('rollback')
    .description('send the calls of a Function to an older Revision, until --latest')
    .argument('<name>', 'name of the Function')
    .option('--to <revision>', 'that Revision (default: the one that served before)')
    .addOption(new Option('--latest', 'back to the newest Revision').conflicts('to'))
    .addOption(
      durationOption('--wait-timeout <duration>', 'how long to wait for it').default('3m'),
    );
  addGlobalOptions(command, ['json', 'yaml', 'name']);
  command.action(async (name: string, options: RollbackFlags) => {
    const { rollback } = await import('./commands/rollback.ts');
    await rollback({ ...options, name }, context);
  });
}
