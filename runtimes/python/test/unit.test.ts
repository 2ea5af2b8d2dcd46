/** The unit tests of the Runner's own modules, which are written in Python. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findPython, needsPython } from './python.ts';

const room = dirname(import.meta.dirname);

for (const file of readdirSync(join(room, 'unittests')).filter((name) => /^test_/.test(name))) {
  test(`unittests/${file}`, needsPython, async () => {
    const python = findPython() ?? '';
    const module = `unittests.${file.replace(/\.py$/, '')}`;
    const { stderr } = await promisify(execFile)(python, ['-B', '-m', 'unittest', module], {
      cwd: room,
      env: {},
    });
    assert.match(stderr, /Ran [1-9]\d* tests?[\s\S]*OK\s*$/);
  });
}
