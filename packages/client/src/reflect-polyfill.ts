// @peculiar/x509 builds on a dependency injector that keeps notes about classes with three
// functions of the metadata proposal, which Node does not have. These are all that it calls; a
// whole polyfill would be another dependency.

const notes = new WeakMap<object, Map<unknown, unknown>>();

function getOwnMetadata(key: unknown, target: object): unknown {
  return notes.get(target)?.get(key);
}

function getMetadata(key: unknown, target: object): unknown {
  for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at)) {
    const own = notes.get(at);
    if (own?.has(key) === true) return own.get(key);
  }
  return undefined;
}

function defineMetadata(key: unknown, value: unknown, target: object): void {
  const own = notes.get(target) ?? new Map<unknown, unknown>();
  notes.set(target, own.set(key, value));
}

if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, { getMetadata, getOwnMetadata, defineMetadata });
}
