import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hasCode, silentLogger, systemClock } from '@fnlet/base';
import { type TarEntry, tarBytes, type ZipEntry, zipBytes } from '../../test/archive-bytes.ts';
import { limits } from '../limits.ts';
import { createReaper } from '../reaper.ts';
import { detectFormat } from './archive-format.ts';
import { unpackArchive } from './unpack-archive.ts';

const { signal } = new AbortController();

const reaper = createReaper({ clock: systemClock, logger: silentLogger });
after(() => reaper.close());

interface Unpacked extends Disposable {
  readonly target: string;
  files(): Record<string, string>;
}

async function unpack(bytes: Buffer, directory = ''): Promise<Unpacked> {
  const root = mkdtempSync(join(tmpdir(), 'unpack-test-'));
  const target = join(root, 'deep', 'target');
  mkdirSync(target, { recursive: true });
  writeFileSync(join(root, 'archive'), bytes);
  const remove = (): void => rmSync(root, { recursive: true });
  try {
    await unpackArchive(join(root, 'archive'), { target, directory, signal, reaper });
  } catch (error) {
    assert.ok(!existsSync(join(root, 'evil')) && !existsSync(join(root, 'deep', 'evil')));
    remove();
    throw error;
  }
  const files = (): Record<string, string> => {
    const entries = readdirSync(target, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile());
    return Object.fromEntries(
      paths.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(target.length + 1), readFileSync(path, 'utf8')];
      }),
    );
  };
  return { target, files, [Symbol.dispose]: remove };
}

const tar = tarBytes([
  { path: './', type: '5' },
  { path: './handler.js', content: 'module.exports = () => "hi"\n' },
  { path: './lib/', type: '5' },
  { path: './lib/x.js', content: 'x\n' },
]);

const files = { 'handler.js': 'module.exports = () => "hi"\n', 'lib/x.js': 'x\n' };

const kinds: Readonly<Record<string, Buffer>> = {
  tar,
  'tar.gz': gzipSync(tar),
  // Made with bzip2 and xz of the same files.
  'tar.bz2': Buffer.from(
    [
      'QlpoOTFBWSZTWZ1cVgcAAHv7gcuQAEBQYf+DBRF2d95AIAAECDAAtrYSqEwmGgmjAAEMNGglCmakaNAaABtN',
      'QAASogAABMRowACZ+8mIsMhDCC4FBEWlEEQzOr2FBUBWRgwRBgEIEgEPSrocBXWsEU+TJRR32nN5/L2CWz5I',
      'CES2U55wB1B7tjIykKJSYum9JWNaQGhUMKRK2AP/QVieUk+uflkZFJbL09Kw8BkhRI+GoaIUD8Dk4IDwXckU',
      '4UJCdXFYHA==',
    ].join(''),
    'base64',
  ),
  'tar.xz': Buffer.from(
    [
      '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Cf/AKtdABcLvBx9AZXAHUo+eRW/ePpNkgZPp2Vm73L/U4/VkuoU',
      'd0rMH83baDhyDfEQUgLNUNVEkw5pI9c1sdwxTytfF2quinW5Ih4/BPeeqk9jLdFspxGG09F3NbKu4PSi5V7A',
      '7fgw3PJtczvc/EXd8Lxo0znxt7BisRq6vjE2PzRmXdJ2kFgkb8yYsdEaOjUx0SIJ3sJ5rtCUE979xFBPA+5w',
      'axSeWFXdzVDzXJ+MAAAAoP6mX3fmZcUAAccBgFAAAOpLPXOxxGf7AgAAAAAEWVo=',
    ].join(''),
    'base64',
  ),
  zip: zipBytes(Object.entries(files).map(([path, content]) => ({ path, content }))),
};

for (const [kind, bytes] of Object.entries(kinds)) {
  test(`unpackArchive() unpacks ${kind}`, async () => {
    assert.equal(detectFormat(bytes), kind);
    using unpacked = await unpack(bytes);
    assert.deepEqual(unpacked.files(), files);
  });

  test(`unpackArchive() unpacks one directory of ${kind}`, async () => {
    using unpacked = await unpack(bytes, 'lib');
    assert.deepEqual(unpacked.files(), { 'x.js': 'x\n' });
  });

  test(`unpackArchive() says that ${kind} has no such directory`, async () => {
    await assert.rejects(unpack(bytes, 'src'), { code: 'SourceNotFound', message: /"src"/ });
  });

  test(`unpackArchive() refuses half of ${kind}`, async () => {
    const half = bytes.subarray(0, Math.floor(bytes.length * 0.6));
    await assert.rejects(unpack(half), (error) => hasCode(error, 'InvalidArchive'));
  });
}

test('unpackArchive() keeps what is executable, and links within the source', async () => {
  using unpacked = await unpack(
    tarBytes([
      { path: 'bin/run', content: '#!/bin/sh\n', mode: 0o755 },
      { path: 'data', content: 'd' },
      { path: 'bin/data', type: '2', link: '../data' },
      { path: 'copy', type: '1', link: 'data' },
    ]),
  );
  assert.equal(statSync(join(unpacked.target, 'bin/run')).mode & 0o777, 0o555);
  assert.equal(statSync(join(unpacked.target, 'data')).mode & 0o777, 0o444);
  assert.equal(readlinkSync(join(unpacked.target, 'bin/data')), '../data');
  assert.equal(readFileSync(join(unpacked.target, 'copy'), 'utf8'), 'd');
});

const link = (path: string, target: string): TarEntry => ({ path, type: '2', link: target });

const hostileTar: readonly (readonly [string, readonly TarEntry[]])[] = [
  ['a path that leads up', [{ path: '../evil', content: 'x' }]],
  ['a path that leads up in the middle', [{ path: 'a/../../evil', content: 'x' }]],
  ['an absolute path', [{ path: '/tmp/evil', content: 'x' }]],
  ['a backslash', [{ path: '..\\evil', content: 'x' }]],
  ['a link that leads out', [{ path: 'a', content: '' }, link('l', '../../evil')]],
  ['a link to an absolute path', [{ path: 'a', content: '' }, link('l', '/etc/passwd')]],
  ['a link to nothing', [{ path: 'a', content: '' }, link('l', 'missing')]],
  ['a link to itself', [{ path: 'a', content: '' }, link('l', 'l')]],
  ['a link to the source', [{ path: 'a', content: '' }, link('l', '.')]],
  [
    'links that lead out together',
    [
      { path: 'a/b/c/x', content: '' },
      { path: 'top/x', content: '' },
      link('a/b/c/l', '../../../top'),
      link('out', 'a/b/c/l/../../archive'),
    ],
  ],
  ['a file behind a link', [link('l', '..'), { path: 'l/evil', content: 'x' }]],
  ['a link in place of a file', [{ path: 'l', content: '' }, link('l', 'a')]],
  ['a hard link that leads out', [{ path: 'l', type: '1', link: '../../archive' }]],
  ['a hard link to something later', [{ path: 'l', type: '1', link: 'a' }]],
  ['a file twice', [{ path: 'a' }, { path: './a' }]],
  ['a file as a directory', [{ path: 'a' }, { path: 'a/b' }]],
  ['a device', [{ path: 'a' }, { path: 'null', type: '3' }]],
  ['a pipe', [{ path: 'a' }, { path: 'pipe', type: '6' }]],
];

for (const [title, entries] of hostileTar) {
  test(`unpackArchive() refuses tar with ${title}`, async () => {
    await assert.rejects(unpack(tarBytes(entries)), { code: 'InvalidArchive' });
  });
}

const hostileZip: readonly (readonly [string, readonly ZipEntry[]])[] = [
  ['a path that leads up', [{ path: '../evil', content: 'x' }]],
  ['an absolute path', [{ path: '/tmp/evil', content: 'x' }]],
  ['a drive', [{ path: 'C:/evil', content: 'x' }]],
  ['a backslash', [{ path: '..\\evil', content: 'x' }]],
  ['a link that leads out', [{ path: 'a' }, { path: 'l', content: '../../x', mode: 0o120777 }]],
  ['a device', [{ path: 'a' }, { path: 'null', mode: 0o020666 }]],
  ['a size that is not true', [{ path: 'a', content: 'abc', toldBytes: 2 }]],
  ['a checksum that is not true', [{ path: 'a', content: 'abc', toldSum: 7 }]],
  ['a file twice', [{ path: 'a' }, { path: 'a' }]],
];

for (const [title, entries] of hostileZip) {
  test(`unpackArchive() refuses zip with ${title}`, async () => {
    await assert.rejects(unpack(zipBytes(entries)), { code: 'InvalidArchive' });
  });
}

test('unpackArchive() refuses a bomb long before it fills the disk', async () => {
  // A bzip2 of zeros is packed 40 000 to 1, more than any source.
  const zeros = Buffer.from(
    [
      'QlpoOTFBWSZTWdAFEXEFfkBbgMiAQABPgAAIYgCeEAAIIABwUDTQyMmIIpEDKb1Ix6p+1KFQBVUS4gICqomO',
      '87nEb7ICAqqJARiw2gSbbQzGhfE3nTW8HlT357XtVlVAFVRP5igrJMprIcE8W+Ar8cgAGAAAAQQABhAJqMhU',
      'BLUhUBLmKCskymshwTxb4CvxyAAYAAABBAAGEAmoyFQEtSFQEuYoKyTKayHBPFvgK/HIABgAAAEEAAYQCajI',
      'VAS1IVAS5igrJMprIcE8W+Ar8cgAGAAAAQQABhAJqMhUBLUhUBLmKCskymshwTxb4CvxyAAYAAABBAAGEAmo',
      'yFQEtSFQEuYoKyTKayHBPFvgK/HIABgAAAEEAAYQCajIVAS1IVAS5igrJMprIcE8W+Ar8cgAGAAAAQQABhAJ',
      'qMhUBLUhUBLmKCskymshwTxb4CvxyAAYAAABBAAGEAmoyFQEtSFQEuYoKyTKayHBPFvgK/HIABgAAAEEAAYQ',
      'CajIVAS1IVAS5igrJMprIcE8W+Ar8cgAGAAAAQQABhAJqMhUBLUhUBLmKCskymshwTxb4CvxyAAYAAABBAAG',
      'EAmoyFQEtSFQEuYoKyTKayHBPFvgK/HIABgAAAEEAAYQCajIVAS1IVAS5igrJMprOBzepMAfE7gEGAAABAAB',
      'BAAGGYE1TTEKVBtVBSoPF3JFOFCQfQ8s8w==',
    ].join(''),
    'base64',
  );
  await assert.rejects(unpack(zeros), { code: 'TooLarge' });
});

test('unpackArchive() refuses too many files', async () => {
  const many = Array.from({ length: limits.treeEntriesMax + 1 }, (_, i) => ({ path: `${i}` }));
  await assert.rejects(unpack(gzipSync(tarBytes(many)), 'none'), { code: 'TooLarge' });
});

test('unpackArchive() refuses what is no archive, and one without files', async () => {
  await assert.rejects(unpack(Buffer.from('<html>')), { code: 'InvalidArchive' });
  await assert.rejects(unpack(Buffer.alloc(0)), { code: 'InvalidArchive' });
  await assert.rejects(unpack(tarBytes([{ path: 'a/', type: '5' }])), { code: 'SourceNotFound' });
  await assert.rejects(unpack(zipBytes([])), { code: 'SourceNotFound' });
});
