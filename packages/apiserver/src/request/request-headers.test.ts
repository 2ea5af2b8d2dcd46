import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headersOf } from './request-headers.ts';

describe('headersOf()', () => {
  it('keeps the values of impersonation headers apart, in any spelling of their names', () => {
    const rawHeaders = ['Impersonate-Group', 'a, b', 'accept', 'x', 'impersonate-group', 'c'];
    const headers = { accept: 'x', 'impersonate-group': 'a, b, c' };
    assert.deepEqual(headersOf({ headers, rawHeaders }), {
      accept: 'x',
      'impersonate-group': 'a, b\nc',
    });
  });

  it('joins the values of other headers, and leaves out what is no header', () => {
    const headers = { ':path': '/', ':authority': 'host:1', cookie: ['a', 'b'], te: undefined };
    const flat = headersOf({ headers, rawHeaders: [':path', '/', ':authority', 'host:1'] });
    assert.deepEqual(flat, { cookie: 'a, b', host: 'host:1' });
  });
});
