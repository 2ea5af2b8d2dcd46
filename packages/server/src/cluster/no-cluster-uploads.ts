import type { ApiExtension } from '@fnlet/apiserver/extension';
import { statusError } from '@fnlet/machinery';

/**
 * No uploads are taken: the directory does not outlive this replica, and an upload can be fetched
 * from nowhere else.
 */
export const noClusterUploads: ApiExtension = {
  group: 'artifacts.fnlet.dev',
  answer() {
    const found = 'no directory that outlives the controller; artifacts.persistent gives it one';
    const message = `Cannot keep uploads: found ${found}. An archive or a repository needs none`;
    return Promise.reject(statusError('Conflict', message));
  },
};
