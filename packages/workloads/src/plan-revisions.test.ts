import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ControllerRevision, createControllerRevision } from './controller-revision.ts';
import { planRevisions } from './plan-revisions.ts';
import type { PodTemplate } from './pod.ts';

function template(command: string): PodTemplate {
  const containers = [{ name: 'main', image: 'node', command: [command] }];
  return { metadata: { labels: { app: 'db' } }, spec: { containers } };
}

function ownerOf(command: string, revisionHistoryLimit?: number) {
  return {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
    metadata: { name: 'db', namespace: 'n', uid: 'u', annotations: { cause: 'why' } },
    spec: {
      template: template(command),
      ...(revisionHistoryLimit === undefined ? {} : { revisionHistoryLimit }),
    },
  };
}

function revision(command: string, number: number): ControllerRevision {
  const parts = { hash: command, hashLabel: 'hash', revision: number };
  return createControllerRevision(ownerOf(command), parts);
}

function names(revisions: readonly ControllerRevision[]): readonly string[] {
  return revisions.map(({ metadata }) => metadata.name);
}

const none: ReadonlySet<string> = new Set();

describe('planRevisions()', () => {
  it('numbers the first template, and each new one after the highest', () => {
    const first = planRevisions({ owner: ownerOf('a'), revisions: [], live: none });
    assert.deepEqual([first.number, first.present], [1, undefined]);
    const revisions = [revision('b', 7), revision('a', 3)];
    const next = planRevisions({ owner: ownerOf('c'), revisions, live: none });
    assert.deepEqual([next.number, next.present], [8, undefined]);
  });

  it('leaves the present template alone, whatever the order of its fields', () => {
    const revisions = [revision('a', 1), revision('b', 2)];
    const { spec, metadata = {} } = template('b');
    const owner = { ...ownerOf('b'), spec: { template: { spec, metadata } } };
    assert.equal(planRevisions({ owner, revisions, live: none }).number, undefined);
  });

  it('renumbers a template that is back', () => {
    const revisions = [revision('a', 1), revision('b', 2)];
    const { number, present } = planRevisions({ owner: ownerOf('a'), revisions, live: none });
    assert.deepEqual([number, present?.metadata.name], [3, 'db-a']);
  });

  it('forgets the oldest beyond the limit, never what Pods are of or what is present', () => {
    const revisions = ['a', 'b', 'c', 'd', 'e'].map((command, at) => revision(command, at + 1));
    const plan = (limit: number, live: ReadonlySet<string>): readonly string[] =>
      names(planRevisions({ owner: ownerOf('e', limit), revisions, live }).remove);
    assert.deepEqual(plan(10, none), []);
    assert.deepEqual(plan(1, none), ['db-a', 'db-b', 'db-c']);
    assert.deepEqual(plan(1, new Set(['db-a'])), ['db-b', 'db-c']);
    assert.deepEqual(plan(0, none), ['db-a', 'db-b', 'db-c', 'db-d']);
  });
});

describe('createControllerRevision()', () => {
  it('is owned, labelled, and a patch that replaces the template', () => {
    const made = revision('a', 4);
    assert.deepEqual(made.metadata.labels, { app: 'db', hash: 'a' });
    assert.deepEqual(made.metadata.annotations, { cause: 'why' });
    assert.equal(made.metadata.ownerReferences?.[0]?.uid, 'u');
    const start = '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"db"}},';
    assert.ok(JSON.stringify(made.data).startsWith(start), JSON.stringify(made.data));
  });
});
