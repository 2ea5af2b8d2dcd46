/** An operator in Java, of the Java Operator SDK and fabric8's client, against the embedded API. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { runProgram, startFnlet } from './fnlet-process.ts';

const built = join(import.meta.dirname, '..', 'node_modules', '.cache', 'clients', 'java');
const classes = join(built, 'classes');
const { PATH = '', HOME = '' } = process.env;
const hasJava = await runProgram('java', ['-version'], { env: { PATH, HOME } }).then(
  ({ code }) => code === 0,
  () => false,
);
const isBuilt = existsSync(join(classes, 'Main.class'));
// It lives for seconds: what the compiler of long-lived programs would do costs more than it gains.
const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const skip = (!isBuilt || !hasJava) && 'no java, or no operator in it: run .ci/clients';

test('an operator of the Java Operator SDK settles, changes and cleans up', { skip }, async () => {
  await using fnlet = await startFnlet();
  const classPath = [join(built, 'libs', '*'), classes].join(delimiter);
  const env = { PATH, HOME, KUBECONFIG: fnlet.endpoints.kubeconfig };
  const { code, stdout, stderr } = await runProgram('java', [...quick, '-cp', classPath, 'Main'], {
    env,
  });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.equal(stdout.match(/^ok /gm)?.length, 8, stdout);
});
