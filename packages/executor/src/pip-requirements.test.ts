import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseRequirements } from './pip-requirements.ts';

it('parseRequirements() reads lines without comments, joined where they go on', () => {
  const text =
    '# all\r\n\r\nrequests[socks]>=2,\\\n  <3 # soon\n--index-url https://i/simple\n' +
    'thing @ https://h/x-1.0-py3-none-any.whl#sha256=ab\n';
  assert.deepEqual(parseRequirements(text, 'requirements.txt'), {
    text:
      'requests[socks]>=2, <3\n--index-url https://i/simple\n' +
      'thing @ https://h/x-1.0-py3-none-any.whl#sha256=ab\n',
    isLocked: false,
  });
});

it('parseRequirements() knows a lock, and what asks for nothing', () => {
  assert.equal(parseRequirements('a==1 \\\n --hash=sha256:00\n', 'f')?.isLocked, true);
  assert.equal(parseRequirements('a==1 --hash=sha256:00\nb\n', 'f')?.isLocked, false);
  assert.equal(parseRequirements('\n# none\n--pre\n', 'f'), undefined);
});

it('parseRequirements() refuses what is not of an index, with its line', () => {
  for (const line of [
    '-r other.txt',
    '-c limits.txt',
    '-e .',
    '--editable .',
    './local',
    '../x.whl',
    'file:///etc/passwd',
    'x @ file:///etc',
    'git+https://h/r.git',
    'x @ git+ssh://h/r.git',
    '--config-settings a=b',
  ]) {
    assert.throws(() => parseRequirements(`requests\n\n${line}\n`, 'requirements.txt'), {
      code: 'BrokenManifest',
      file: 'requirements.txt',
      line: 3,
    });
  }
});
