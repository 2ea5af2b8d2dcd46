/** Checks passwords, each with its hash, one after the other, and says whether it is the right one. */
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

parentPort?.on('message', ([password, hash]) => {
  parentPort.postMessage(compareSync(password, hash));
});
