// Sends each file that is put into a directory as a CloudEvent, and moves it to sent/ once it is
// kept. Whatever ends it in between: the file is still there and is sent again, with the same id.
// Put files there in one step (mv): those that begin with a dot are left alone.
import { watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { K_SINK, K_SINK_TOKEN, INBOX = 'inbox' } = process.env;
const sent = join(INBOX, 'sent');

async function send(name) {
  const path = join(INBOX, name);
  const { ino, mtime } = await stat(path);
  const event = {
    specversion: '1.0',
    id: `${ino}-${mtime.getTime()}-${name}`,
    source: '/file-watcher',
    type: 'com.example.file.put',
    subject: name,
    time: mtime.toISOString(),
    datacontenttype: 'application/octet-stream',
    data_base64: (await readFile(path)).toString('base64'),
  };
  for (let waitMs = 250; !(await isKept(event)); waitMs = Math.min(waitMs * 2, 30_000)) {
    await sleep(waitMs);
  }
  await rename(path, join(sent, name));
  console.log('sent', name);
}

async function isKept(event) {
  const headers = {
    authorization: `Bearer ${K_SINK_TOKEN}`,
    'content-type': 'application/cloudevents+json',
  };
  try {
    const body = JSON.stringify(event);
    const answer = await fetch(K_SINK, { method: 'POST', headers, body });
    if (answer.status === 202) return true;
    console.error(`${event.subject}: ${answer.status} ${await answer.text()}`);
  } catch (error) {
    console.error(`${event.subject}: ${error.cause ?? error}`);
  }
  return false;
}

await mkdir(sent, { recursive: true });
let changed = Promise.withResolvers();
watch(INBOX, () => changed.resolve());
while (true) {
  changed = Promise.withResolvers();
  const entries = await readdir(INBOX, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isFile() && !entry.name.startsWith('.')) await send(entry.name);
  }
  // Not every file system tells of changes.
  await Promise.race([changed.promise, sleep(5_000)]);
}
