import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

const root = join(import.meta.dirname, '..');

/** The program `fnlet`, to be run by Node. */
export const fnletProgram: string = join(root, 'packages', 'cli', 'bin', 'fnlet.js');

/** A Fnlet, and beside it the file `greeting.ts` with an operator, as somebody writes it. */
export interface OperatorWorkshop extends AsyncDisposable {
  readonly fnlet: FnletProcess;
  /** The directory of the file. */
  readonly cwd: string;
  readonly client: Client;
  /** Runs Node with these arguments, in that directory and for that API. */
  run(...args: string[]): RunningOperator;
  /** The text that the ConfigMap of this name has, if there is one. */
  textOf(name: string): Promise<string | undefined>;
}

/** A process that runs until it is told to end. */
export interface RunningOperator extends AsyncDisposable {
  /** What it has written to standard error. */
  said(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const configMapType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
};

export async function openOperatorWorkshop(source: string): Promise<OperatorWorkshop> {
  const cwd = await mkdtemp(join(tmpdir(), 'fnlet-operator-'));
  await writeFile(join(cwd, 'greeting.ts'), source);
  await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
  const fnlet = await startFnlet();
  const kubeconfig = await loadKubeconfig({ env: {}, file: fnlet.endpoints.kubeconfig });
  const client = createClient(createHttpTransport(kubeconfig), { fieldManager: 'test' });
  const texts = client.of<KubeObject & { readonly data?: { readonly text?: string } }>(
    configMapType,
  );
  return {
    ...{ fnlet, cwd, client },
    run: (...args) => runOperator(args, { cwd, kubeconfig: fnlet.endpoints.kubeconfig }),
    textOf: async (name) => (await texts.tryGet({ namespace: 'default', name }))?.data?.text,
    async [Symbol.asyncDispose]() {
      await client.transport.close();
      await fnlet[Symbol.asyncDispose]();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

function runOperator(
  args: readonly string[],
  { cwd, kubeconfig }: { readonly cwd: string; readonly kubeconfig: string },
): RunningOperator {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const child = spawn(process.execPath, args, { cwd, env });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  return {
    said: () => said,
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL');
    },
  };
}
