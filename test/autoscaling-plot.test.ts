/** The picture in docs/autoscaling.md is what `npm run sim -- scaling` draws. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatStudy } from '../sim/scaling/format-study.ts';
import { plotStudy } from '../sim/scaling/plot-study.ts';
import { runStudy } from '../sim/scaling/study.ts';

const docs = join(import.meta.dirname, '..', 'docs');

test('picture and table of the documentation are those of seed 1', async () => {
  const days = runStudy({ seed: 1, hours: 8 });
  const advice = 'draw it anew: npm run --silent sim -- scaling --svg > docs/autoscaling.svg';
  const picture = await readFile(join(docs, 'autoscaling.svg'), 'utf8');
  assert.ok(picture === plotStudy(days), advice);
  const page = await readFile(join(docs, 'autoscaling.md'), 'utf8');
  assert.ok(page.includes(formatStudy(days)), 'docs/autoscaling.md holds another table');
});
