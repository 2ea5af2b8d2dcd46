import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathSubject } from './path-subject.ts';

const paths = [{ prefix: '/hooks' }, { prefix: '/hooks/git/' }, { exact: '/ring' }];

for (const [target, subject] of [
  ['/hooks/web', 'web'],
  ['/hooks/web/?a=/b', 'web'],
  ['/hooks/git/team/web', 'team/web'],
  ['/hooks/a%20b', 'a b'],
  ['/hooks/%', '%'],
  ['/hooks', undefined],
  ['/ring', 'ring'],
] as const) {
  test(`pathSubject() of ${target} is ${subject}`, () => {
    assert.equal(pathSubject(target, paths), subject);
  });
}
