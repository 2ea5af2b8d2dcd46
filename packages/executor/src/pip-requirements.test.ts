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
    '-r ../other.txt',
    '-r https://h/requirements.txt',
    '--requirement=other.txt',
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

it('parseRequirements() includes files of the source, each once, by paths as pip has them', () => {
  const files = {
    'needs/base.txt': '# all\na==1 # one\n-r "more.txt"\n-r ../last.txt\n--pre\n',
    'needs/more.txt': 'b\n-r base.txt\n',
    'last.txt': 'c\n',
  };
  const text = '--requirement needs/base.txt\nd\n-rlast.txt\n--requirement=./needs/more.txt\n';
  assert.deepEqual(parseRequirements(text, 'requirements.txt', { files }), {
    text: 'a==1\nb\nc\n--pre\nd\n',
    isLocked: false,
  });
  const wrong = { ...files, 'last.txt': 'c\n\n-e .\n' };
  assert.throws(() => parseRequirements(text, 'requirements.txt', { files: wrong }), {
    code: 'BrokenManifest',
    file: 'last.txt',
    line: 3,
  });
});

it('parseRequirements() keeps constraints apart, which ask for nothing themselves', () => {
  const files = { 'c.txt': 'a<2\n-r d.txt\n', 'd.txt': 'b<3\n' };
  assert.deepEqual(parseRequirements('a\n-c c.txt\n', 'requirements.txt', { files }), {
    text: '-c constraints.txt\na\n',
    isLocked: false,
    constraints: 'a<2\nb<3\n',
  });
  assert.equal(parseRequirements('-c c.txt\n', 'requirements.txt', { files }), undefined);
  const locked = parseRequirements('-c c.txt\na==1 --hash=sha256:00\n', 'r', { files });
  assert.deepEqual(locked, { text: 'a==1 --hash=sha256:00\n', isLocked: true });
  const options = { files: { 'c.txt': '--pre\n' } };
  assert.throws(() => parseRequirements('-c c.txt\n', 'r', options), { file: 'c.txt', line: 1 });
});

it('parseRequirements() follows a bounded number of files', () => {
  const names = Array.from({ length: 60 }, (_, index) => `${index}.txt`);
  const files = Object.fromEntries(
    names.map((name, index) => [name, `p${index}\n-r ${index + 1}.txt\n`]),
  );
  assert.throws(() => parseRequirements('-r 0.txt\n', 'r', { files }), { file: '49.txt' });
});
