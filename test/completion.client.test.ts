/** The completion script in a real bash: commands, flags, and the names of Functions. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { runProgram, startFnlet } from './fnlet-process.ts';

const binaries = join(import.meta.dirname, '..', 'node_modules', '.bin');

test('bash completes commands, flags and Functions', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  await api.applyFunction('completed', { source: { inline: 'export default () => 1;' } });
  await api.close();
  const complete = async (...words: string[]): Promise<string> => {
    const script = `source <(fnlet completion bash)
      COMP_WORDS=(fnlet ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
      _fnlet; echo "\${COMPREPLY[*]}"`;
    const env = { PATH: `${binaries}:${process.env.PATH}`, KUBECONFIG: fnlet.endpoints.kubeconfig };
    const { code, stdout, stderr } = await runProgram('bash', ['-c', script], { env });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  assert.equal(await complete('des'), 'describe');
  assert.equal(await complete('logs', '--fol'), '--follow');
  assert.equal(await complete('logs', 'comp'), 'completed');
});
