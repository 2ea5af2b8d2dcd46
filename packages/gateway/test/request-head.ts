import { assert } from '@fnlet/base';
import { HeadReader } from '../src/http1/head-reader.ts';
import { Rejection } from '../src/http1/rejection.ts';
import { parseRequestHead, type RequestHead } from '../src/http1/request-head.ts';

/** The head of a GET request with these lines. */
export function requestHead(lines: string): RequestHead {
  const bounds = { headBytesMax: 4096, fieldsMax: 64, startLineBytesMax: 1024 };
  const reader = new HeadReader(bounds);
  const complete = reader.read(
    Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`, 'latin1'),
    0,
  );
  assert(complete === true, 'the head is complete');
  const head = parseRequestHead(reader, 1024);
  if (head instanceof Rejection) throw head;
  return head;
}
