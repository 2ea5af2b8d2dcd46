import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAnswer, ownAnswer, pinSource, remoteQuestion } from './remote-source.ts';

const url = 'https://example.com/code.git';
const commit = 'a'.repeat(40);
const digest = 'b'.repeat(64);

test('remoteQuestion() asks about branches, and about archives without a checksum', () => {
  const secretRef = { name: 's' };
  assert.deepEqual(remoteQuestion({ git: { url, reference: 'main', secretRef } }), {
    kind: 'git',
    url,
    secret: 's',
    reference: 'main',
    intervalMs: 300_000,
  });
  assert.equal(remoteQuestion({ git: { url, interval: '0s' } })?.intervalMs, undefined);
  assert.equal(remoteQuestion({ archive: { url } })?.kind, 'archive');
});

test('remoteQuestion() has nothing to ask where the source says exactly what it is', () => {
  const sources = [
    { inline: 'x' },
    { git: { url, reference: commit } },
    { archive: { url, sha256: digest } },
    { archive: { data: 'UEs=' } },
  ];
  for (const source of sources) assert.equal(remoteQuestion(source), undefined);
  assert.deepEqual(ownAnswer({ git: { url, reference: commit.toUpperCase() } }), {
    url,
    reference: commit.toUpperCase(),
    commit,
  });
  assert.deepEqual(ownAnswer({ archive: { url, sha256: `sha256:${digest}` } }), { url, digest });
  assert.equal(ownAnswer({ inline: 'x' }), undefined);
});

test('isAnswer() takes no answer to another question', () => {
  const question = remoteQuestion({ git: { url, reference: 'main' } });
  assert.ok(question);
  assert.ok(isAnswer(question, { url, reference: 'main', commit }));
  assert.ok(!isAnswer(question, undefined));
  assert.ok(!isAnswer(question, { url, reference: 'dev', commit }));
  assert.ok(!isAnswer(question, { url: `${url}x`, reference: 'main', commit }));
  assert.ok(!isAnswer(question, { url, reference: 'main', digest }));
});

test('pinSource() keeps what it takes to fetch the same once more, and nothing else', () => {
  const secretRef = { name: 's' };
  const webhook = { secretRef: { name: 'w' } };
  const git = { url, reference: 'main', directory: 'fn', secretRef, interval: '1m', webhook };
  assert.deepEqual(pinSource({ git }, { commit }), {
    git: { url, reference: commit, directory: 'fn', secretRef },
  });
  assert.deepEqual(pinSource({ archive: { url, secretRef } }, { digest }), {
    archive: { url, secretRef, sha256: digest },
  });
  const given = { archive: { data: 'UEs=', sha256: `sha256:${digest.toUpperCase()}` } };
  assert.deepEqual(pinSource(given, {}), { archive: { data: 'UEs=', sha256: digest } });
  assert.deepEqual(pinSource({ inline: 'x' }, {}), { inline: 'x' });
});
