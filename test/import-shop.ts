import assert from 'node:assert/strict';
import { createApi } from './api-access.ts';
import { type Finished, type FnletProcess, startFnlet } from './fnlet-process.ts';

/** Where `fnlet import` is tried: a Fnlet, and objects of another system. */
export interface ImportShop extends AsyncDisposable {
  readonly fnlet: FnletProcess;
  /** Runs `fnlet import <system>` with this on its standard input. */
  run(input: string, ...args: string[]): Promise<Finished>;
  /** Applies objects of the other system to the API. */
  apply(...objects: object[]): Promise<void>;
  /** Names of what the API has, as import reads it; `diagnostics` is what it says of it. */
  namesInCluster(): Promise<{ readonly names: readonly string[]; readonly diagnostics: string }>;
  /** What the Function `hello` answers, with this spec. */
  answerOf(spec: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Several objects as a file holds them. */
export function documents(...objects: object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

/** The specs of what import has printed, in YAML. */
export async function specsOf(
  printed: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { parseAllDocuments } = await import('yaml');
  return [...parseAllDocuments(printed)].map((document) => Object(document.toJS()).spec);
}

export async function openImportShop(system: 'kyma' | 'kubeless'): Promise<ImportShop> {
  const fnlet = await startFnlet();
  const run: ImportShop['run'] = (input, ...args) =>
    fnlet.cli(['import', system, ...args], { input });
  return {
    fnlet,
    run,
    async apply(...items) {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input });
      assert.equal(code, 0, stderr);
    },
    async namesInCluster() {
      const { code, stdout, stderr } = await run('', 'cluster', '-o', 'json');
      assert.equal(code, 0, stderr);
      const items: readonly { readonly metadata: { readonly name: string } }[] =
        JSON.parse(stdout).items;
      return { names: items.map(({ metadata }) => metadata.name), diagnostics: stderr };
    },
    async answerOf(spec) {
      const api = await createApi(fnlet.endpoints.kubeconfig);
      try {
        await api.applyFunction('hello', spec);
        await api.waitReady('hello');
        return await (await fetch(`${fnlet.endpoints.gateway}/default/hello`)).text();
      } finally {
        await api.deleteFunction('hello');
        await api.close();
      }
    },
    [Symbol.asyncDispose]: () => fnlet[Symbol.asyncDispose](),
  };
}
