import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planCode } from './plan-code.ts';

const text = Buffer.from('exports.a = 1;');
const binary = Buffer.from([0xff, 0xfe, 0x00]);
const url = 'https://example.com/code';

const cases: readonly (readonly [string, Buffer, string, string])[] = [
  ['hello.js', text, 'text', text.toString()],
  ['hello.class', binary, 'base64', '//4A'],
  ['code.zip', binary, 'base64+zip', '//4A'],
  ['code.tar.gz', binary, 'base64+compressedtar', '//4A'],
  ['code.tbz2', text, 'base64+compressedtar', text.toString('base64')],
  ['code.tar.xz', binary, 'base64+compressedtar', '//4A'],
  [`${url}.zip?raw=true`, binary, 'url+zip', `${url}.zip?raw=true`],
  [`${url}.tgz`, binary, 'url+compressedtar', `${url}.tgz`],
  [`${url}.py`, text, 'text', text.toString()],
];

for (const [place, bytes, contentType, code] of cases) {
  test(`planCode() takes ${place} as ${contentType}`, () => {
    const planned = planCode(place, bytes);
    assert.equal(planned['function-content-type'], contentType);
    assert.equal(planned.function, code);
    assert.match(planned.checksum, /^sha256:[0-9a-f]{64}$/);
  });
}
