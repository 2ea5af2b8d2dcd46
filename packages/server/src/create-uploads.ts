import type { ApiExtension } from '@fnlet/apiserver/extension';
import type { Clock } from '@fnlet/base';

/**
 * Takes sources that do not fit into an object, for those who may. Loaded with the first of them.
 *
 * @param directory where they are kept
 */
export function createUploads(directory: string, clock: Clock): ApiExtension {
  const load = async () => {
    const { UploadStore } = await import('@fnlet/executor');
    const { answerUpload } = await import('./artifact-uploads.ts');
    return { store: new UploadStore({ directory, clock }), answerUpload };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return {
    group: 'artifacts.fnlet.dev',
    async answer(route, request) {
      loaded ??= load();
      const { store, answerUpload } = await loaded;
      return answerUpload(store, route, request);
    },
  };
}
