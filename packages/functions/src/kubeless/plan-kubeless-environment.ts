import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubelessHandler } from './plan-kubeless-source.ts';
import type { KubelessDeployment } from './read-kubeless-deployment.ts';

/**
 * The variables that a Pod of Kubeless has: those of the user, then those of the platform, which
 * hold where both have one (core/v1: the later one does).
 */
export function planKubelessEnvironment(
  { fields, memoryLimit }: Pick<KubelessDeployment, 'fields' | 'memoryLimit'>,
  of: { readonly called: KubelessHandler; readonly runtime: string; readonly timeout: number },
): readonly JsonObject[] {
  const { called, runtime, timeout } = of;
  const platform = {
    FUNC_HANDLER: called.function,
    MOD_NAME: called.module,
    FUNC_TIMEOUT: String(timeout),
    FUNC_RUNTIME: runtime,
    FUNC_MEMORY_LIMIT: memoryLimit,
    FUNC_PORT: '8080',
    KUBELESS_INSTALL_VOLUME: '/kubeless',
  };
  const own = Array.isArray(fields.env) ? fields.env.filter(isJsonObject) : [];
  return [
    ...own.filter(({ name }) => typeof name !== 'string' || !Object.hasOwn(platform, name)),
    ...Object.entries(platform).map(([name, value]) => ({ name, value })),
  ];
}
