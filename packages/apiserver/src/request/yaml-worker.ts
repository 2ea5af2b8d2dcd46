/** The thread in which one large text of YAML is read. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseYaml } from './parse-yaml.ts';

parentPort?.postMessage(parseYaml(workerData.text, workerData.bounds));
