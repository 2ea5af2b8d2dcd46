/**
 * Replaces `$(NAME)` by the variable of this name, as a kubelet does in commands, arguments and
 * values (k8s.io/kubernetes, third_party/forked/golang/expansion). What is not known stays as it
 * is; `$$(NAME)` is a way to write `$(NAME)`.
 */
export function expandVariables(
  text: string,
  lookup: (name: string) => string | undefined,
): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) => {
    if (name === undefined) return '$';
    return lookup(name) ?? found;
  });
}
