import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { planDeployFiles } from './deploy.ts';
import { repositoryRoot } from './source-file.ts';

test('deploy/ and the table of values are what fnlet install applies', () => {
  for (const [path, text] of planDeployFiles()) {
    const found = readFileSync(join(repositoryRoot, path), 'utf8');
    assert.ok(found === text, `${path} is not up to date: run node tooling/deploy.ts`);
  }
});
