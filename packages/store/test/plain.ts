import type { Change, Page, StoredObject } from '../src/index.ts';

/** What is in an object, in the form in which it can be compared. */
export function plainObject({ key, revision, value, text }: StoredObject): StoredObject {
  return { key, revision, value, text };
}

export function plainPage(page: Page): Page {
  return { ...page, objects: page.objects.map(plainObject) };
}

export function plainChange(change: Change): Change {
  const { revision, key, value, text, previous, previousText } = change;
  return { revision, key, value, text, previous, previousText };
}
