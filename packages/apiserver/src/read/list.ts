import { hasCode } from '@fnlet/base';
import type { Page } from '@fnlet/store';
import type { ObjectList } from '../answer/object-list.ts';
import { badRequest, expired, futureResourceVersion } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { scanPageMax } from '../limits.ts';
import { KeptObject } from '../object/kept-object.ts';
import { collectionPrefix } from '../object/object-keys.ts';
import type { Selection } from '../object/selection.ts';
import { formatContinueToken, parseContinueToken } from '../request/continue-token.ts';
import type { ListOptions } from '../request/list-options.ts';
import type { Resource } from '../resource/resource.ts';

/**
 * Lists objects at one state: the current one, or that of the first page.
 *
 * @throws StatusError `Expired` (the state is gone; carries a token that goes on at the current
 *   one), `Timeout` (a resourceVersion of the future), `BadRequest`
 */
export function listObjects(
  context: ApiContext,
  resource: Resource,
  { selection, options }: { readonly selection: Selection; readonly options: ListOptions },
): ObjectList {
  const prefix = collectionPrefix(resource.strategy, selection.namespace);
  const start = startOf(context, options);
  const items: KeptObject[] = [];
  // Any state at all is asked for: kube-apiserver answers from its cache, without pages.
  const pageMax = options.resourceVersion === 0 ? undefined : options.limit;
  let after = start.after === undefined ? undefined : prefix + start.after;
  let atRevision = start.atRevision;
  for (;;) {
    const wanted = pageMax === undefined ? undefined : pageMax - items.length;
    const limit = selection.isNarrow && wanted !== undefined ? scanPageMax : wanted;
    const page = readPage(context, prefix, { after, limit, atRevision });
    atRevision ??= page.revision;
    for (const [index, stored] of page.objects.entries()) {
      const object = new KeptObject(resource, stored);
      if (selection.isNarrow && !selection.matches(object.value)) continue;
      items.push(object);
      if (items.length !== pageMax) continue;
      const following = page.objects.length - index - 1 + page.remaining;
      const last = { revision: atRevision, after: stored.key.slice(prefix.length) };
      return pageOf(items, last, { following, isNarrow: selection.isNarrow });
    }
    after = page.objects.at(-1)?.key;
    if (!page.more || after === undefined) {
      return { items, revision: atRevision, continueToken: undefined, remaining: undefined };
    }
  }
}

function pageOf(
  items: readonly KeptObject[],
  last: { revision: number; after: string },
  rest: { following: number; isNarrow: boolean },
): ObjectList {
  const { revision } = last;
  const hasMore = rest.following > 0;
  return {
    items,
    revision,
    continueToken: hasMore ? formatContinueToken(last) : undefined,
    remaining: hasMore && !rest.isNarrow ? rest.following : undefined,
  };
}

function startOf(
  context: ApiContext,
  options: ListOptions,
): { atRevision: number | undefined; after: string | undefined } {
  const { continueToken, resourceVersion, match } = options;
  if (continueToken !== undefined) {
    if (resourceVersion !== undefined && resourceVersion !== 0) {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const { revision, after } = parseContinueToken(continueToken);
    return { atRevision: revision < 0 ? undefined : revision, after };
  }
  const current = context.store.revision;
  if (resourceVersion !== undefined && resourceVersion > current) {
    throw futureResourceVersion(resourceVersion, current);
  }
  return { atRevision: match === 'Exact' ? resourceVersion : undefined, after: undefined };
}

function readPage(
  context: ApiContext,
  prefix: string,
  options: { after: string | undefined; limit: number | undefined; atRevision: number | undefined },
): Page {
  try {
    return context.store.list(prefix, options);
  } catch (error) {
    if (hasCode(error, 'FutureRevision')) {
      throw futureResourceVersion(options.atRevision ?? 0, context.store.revision);
    }
    if (!hasCode(error, 'Compacted')) throw error;
    if (options.after === undefined) {
      const current = context.store.revision;
      throw expired(`too old resource version: ${options.atRevision} (${current})`);
    }
    const text =
      'The provided continue parameter is too old to display a consistent list result. You can ' +
      'start a new list without the continue parameter, or use the continue token in this ' +
      'response to retrieve the remainder of the results. Continuing with the provided token ' +
      'results in an inconsistent list - objects that were created, modified, or deleted between ' +
      'the time the first chunk was returned and now may show up in the list.';
    const next = { revision: -1, after: options.after.slice(prefix.length) };
    throw expired(text, formatContinueToken(next));
  }
}
