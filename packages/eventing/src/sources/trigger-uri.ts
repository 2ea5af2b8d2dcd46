import type { SourceContext } from './source.ts';

/** What events are said to come from whose Trigger makes them: a URI reference. */
export function triggerUri({ namespace, name }: Pick<SourceContext, 'namespace' | 'name'>): string {
  return `/apis/fnlet.dev/v1alpha1/namespaces/${namespace}/triggers/${name}`;
}
