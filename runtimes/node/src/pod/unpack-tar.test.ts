import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { unpackTar } from './unpack-tar.ts';

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'unpack-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** An archive as the tar of this machine writes it. */
function archive(from: string, ...flags: readonly string[]): Buffer {
  return execFileSync('tar', ['-C', from, ...flags, '-cf', '-', '.']);
}

for (const size of [1, 511, 512, 513, 100_000]) {
  test(`unpackTar() gives back what was packed, read in pieces of ${size} bytes`, async (t) => {
    const [from, to] = [scratch(t), scratch(t)];
    const deep = join('a'.repeat(90), 'b'.repeat(90), 'c'.repeat(90));
    mkdirSync(join(from, deep), { recursive: true });
    mkdirSync(join(from, 'empty'));
    writeFileSync(join(from, deep, 'ä.txt'), 'long way');
    writeFileSync(join(from, 'none'), '');
    writeFileSync(join(from, 'block'), 'x'.repeat(512));
    writeFileSync(join(from, 'program'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync('../program', join(from, 'empty', 'link'));
    await unpackTar(inPieces(archive(from, '--format=pax'), size), to);
    assert.equal(readFileSync(join(to, deep, 'ä.txt'), 'utf8'), 'long way');
    assert.equal(readFileSync(join(to, 'none'), 'utf8'), '');
    assert.equal(readFileSync(join(to, 'block'), 'utf8'), 'x'.repeat(512));
    assert.equal(readFileSync(join(to, 'empty', 'link'), 'utf8'), '#!/bin/sh\n');
    execFileSync('test', ['-x', join(to, 'program')]);
  });
}

test('unpackTar() refuses what leads out, and what is broken', async (t) => {
  const from = scratch(t);
  const outside = scratch(t);
  writeFileSync(join(from, 'evil'), 'evil');
  const out = (flag: string): Buffer => archive(from, '--format=pax', '-P', flag);
  symlinkSync(outside, join(from, 'absolute'));
  const absolute = archive(from);
  rmSync(join(from, 'absolute'));
  symlinkSync('../../etc', join(from, 'above'));
  const above = archive(from);
  rmSync(join(from, 'above'));
  const whole = archive(from);
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(0x41, 600);
  const cases: readonly (readonly [string, Buffer, RegExp])[] = [
    ['a path above', out('--transform=s,^./evil,../evil,'), /leads out of it/],
    ['an absolute path', out(`--transform=s,^./evil,${outside}/evil,`), /leads out of it/],
    ['an absolute link', absolute, /leads out of it/],
    ['a link above', above, /leads out of it/],
    ['half of it', whole.subarray(0, 700), /ends|no end/],
    ['nothing', Buffer.alloc(0), /no end/],
    ['a damaged header', damaged, /damaged/],
    ['no archive', Buffer.from('x'.repeat(2000)), /damaged|none/],
  ];
  for (const [name, bytes, expected] of cases) {
    await assert.rejects(unpackTar(inPieces(bytes, 1_000), scratch(t)), expected, name);
  }
  assert.deepEqual(readdirSync(outside), []);
});
