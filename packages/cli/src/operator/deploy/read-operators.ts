import { basename, extname, resolve } from 'node:path';
import type { FunctionSource } from '@fnlet/api';
import type { CliContext } from '../../cli-context.ts';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { type PackedSource, packSource } from '../../packed-source.ts';
import { type LocalTree, readTree } from '../../source-files.ts';
import { loadOperatorModule } from '../operator-module.ts';
import { findModuleFiles } from './module-files.ts';
import type { OperatorDeployment } from './plan-operator-manifests.ts';
import { readPythonModule } from './python-module.ts';

/** The operators of a file, with all that they need to run elsewhere. */
export interface ReadOperators
  extends Pick<OperatorDeployment, 'operators' | 'module' | 'source' | 'dependencies' | 'runtime'> {
  /** What the source refers to; to be uploaded first, and disposed of. */
  readonly packed: PackedSource | undefined;
}

/**
 * Loads a file with operators, and collects its source.
 *
 * @throws CliError when it cannot be loaded, or exports no operator
 */
export async function readOperators(file: string, context: CliContext): Promise<ReadOperators> {
  const isPython = extname(file) === '.py';
  const { tree, ...read } = await (isPython ? readPython : readJavaScript)(file, context);
  if (read.operators.length === 0) {
    const remedy = isPython
      ? 'Write @operator(…), from fnlet.operator, above a function'
      : 'Write "export default operator(…)", with operator from fnlet/operator';
    throw new CliError(exitCodes.failed, `Cannot deploy "${file}": it exports no operator`, {
      remedy,
    });
  }
  const local = await readTree(tree);
  const packed = local.kind === 'tree' ? await packSource(local) : undefined;
  const source: FunctionSource =
    local.kind === 'files' ? { files: local.files } : { artifact: `sha256:${packed?.digest}` };
  return { ...read, source, packed };
}

type FoundOperators = Omit<ReadOperators, 'source' | 'packed'> & { readonly tree: LocalTree };

async function readJavaScript(file: string, context: CliContext): Promise<FoundOperators> {
  const { operators, exportNames } = await loadOperatorModule(file, context);
  const named = operators.map((operator) => {
    return { operator, exportName: exportNames.get(operator) ?? 'default' };
  });
  const found = await findModuleFiles(resolve(context.workingDirectory, file));
  return { ...found, operators: named, runtime: 'nodejs24' };
}

async function readPython(file: string, context: CliContext): Promise<FoundOperators> {
  return { ...(await readPythonModule(file, context)), module: basename(file, '.py') };
}
