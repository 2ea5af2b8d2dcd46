import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatJwt, parseJwt } from './jwt.ts';

const sign = (text: string): Uint8Array => Buffer.from(`signed ${text.length}`);

describe('parseJwt()', () => {
  it('reads what formatJwt() wrote', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    const property = fc.property(json, json, (header, claims) => {
      const jwt = parseJwt(formatJwt(header, claims, sign));
      assert(jwt !== undefined);
      assert.deepEqual(JSON.stringify(jwt.header), JSON.stringify(header));
      assert.deepEqual(JSON.stringify(jwt.claims), JSON.stringify(claims));
      assert.deepEqual(Buffer.from(jwt.signature), sign(jwt.signed));
    });
    fc.assert(property, { numRuns: 50 });
  });

  const part = Buffer.from('{}').toString('base64url');
  const wrong: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['a word', 'token'],
    ['two parts', `${part}.${part}`],
    ['four parts', `${part}.${part}.${part}.${part}`],
    ['no signature', `${part}.${part}.`],
    ['padding', `${part}=.${part}.AAAA`],
    ['a list for a header', `${Buffer.from('[]').toString('base64url')}.${part}.AAAA`],
    ['claims that are no JSON', `${part}.AAAA.AAAA`],
    ['spare bits in the signature', `${part}.${part}.AB`],
  ];
  for (const [what, token] of wrong) {
    it(`takes ${what} for no token`, () => assert.equal(parseJwt(token), undefined));
  }
});
