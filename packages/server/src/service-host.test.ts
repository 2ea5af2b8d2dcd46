import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServiceHost } from './service-host.ts';

const git = { namespace: 'tools', name: 'git' };

test('readServiceHost() knows a Service by the names that have its namespace, in any case', () => {
  for (const host of [
    'git.tools.svc.cluster.local',
    'git.tools.svc.cluster.local.',
    'git.tools.svc',
    'git.tools',
    'Git.Tools.SVC.cluster.local',
  ]) {
    assert.deepEqual(readServiceHost(host), git, host);
  }
  const pod = readServiceHost('git-0.git.tools.svc.cluster.local');
  assert.deepEqual(pod, { namespace: 'tools', name: 'git-0.git' });
});

test('readServiceHost() leaves all other hosts to the system', () => {
  for (const host of [
    'git',
    'localhost',
    '127.0.0.1',
    '::1',
    '[::1]',
    'www.example.com',
    'a.b.c.d.svc.cluster.local',
    'git.tools.cluster.local',
    '1a.tools.svc',
    'under_score.tools.svc',
    '',
  ]) {
    assert.equal(readServiceHost(host), undefined, host);
  }
});
