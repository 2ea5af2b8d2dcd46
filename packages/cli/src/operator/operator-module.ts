import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '@fnlet/base';
import type { DefinitionManifest, Operator } from '@fnlet/sdk/operator';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

/** What a user's module has to say about operators. */
export interface OperatorModule {
  /** Its exports that are operators, the default first. */
  readonly operators: readonly Operator[];
  /** By which name each of them is exported; `default` where it is the default, too. */
  readonly exportNames: ReadonlyMap<Operator, string>;
  /** The manifests of the kinds that it defines, for operators or as exports, each once. */
  readonly definitions: readonly DefinitionManifest[];
}

/**
 * Loads a module of the user's. Where `fnlet` is not installed beside it, its doors lead, from then
 * on, to this one.
 *
 * @throws CliError when it cannot be loaded, or exports neither an operator nor a kind.
 */
export async function loadOperatorModule(
  file: string,
  { workingDirectory }: Pick<CliContext, 'workingDirectory'>,
): Promise<OperatorModule> {
  const exported = await importModule(file, resolve(workingDirectory, file));
  const { default: main, ...named } = exported;
  const values = [main, ...Object.values(named)];
  const exportNames = new Map(
    // What comes later stays: the default.
    [...Object.entries(named), ['default', main] as const].flatMap(([name, value]) =>
      isOperator(value) ? [[value, name] as const] : [],
    ),
  );
  const operators = [...new Set(values.filter(isOperator))];
  const kinds = [...operators.map((operator) => operator.for), ...values];
  const definitions = new Map(
    kinds.filter(hasDefinition).map(({ crd }) => [crd.metadata.name, crd]),
  );
  if (operators.length === 0 && definitions.size === 0) {
    throw new CliError(exitCodes.failed, `Cannot use "${file}": it exports no operator`, {
      remedy: 'Write "export default operator(…)", with operator from fnlet/operator',
    });
  }
  return { operators, exportNames, definitions: [...definitions.values()] };
}

async function importModule(
  file: string,
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  registerHooks({
    resolve(specifier, context, resolveAsEver) {
      if (!/^fnlet(\/|$)/.test(specifier)) return resolveAsEver(specifier, context);
      try {
        return resolveAsEver(specifier, context);
      } catch {
        return resolveAsEver(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const text = `Cannot load "${file}": ${errorMessage(cause)}`;
    throw new CliError(exitCodes.failed, text, { cause });
  }
}

function isOperator(value: unknown): value is Operator {
  return (
    typeof value === 'object' &&
    value !== null &&
    'for' in value &&
    'reconcile' in value &&
    typeof value.reconcile === 'function'
  );
}

function hasDefinition(value: unknown): value is { readonly crd: DefinitionManifest } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'crd' in value &&
    typeof value.crd === 'object' &&
    value.crd !== null
  );
}
