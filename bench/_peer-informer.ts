/** The measured peer: all Pods in the informer of @kubernetes/client-node; see `_operator.ts`. */
const [server = '', , caData = ''] = process.argv.slice(2);
const startMs = performance.now();
const { KubeConfig, CoreV1Api, makeInformer } = await import(process.env.FNLET_BENCH_PEER ?? '');
const config = new KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'c', server, caData: Buffer.from(caData).toString('base64') }],
  users: [{ name: 'u' }],
  contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
  currentContext: 'x',
});
const core = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces());
informer.on('error', (error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
await informer.start();
const { user, system } = process.cpuUsage();
const used = {
  objects: informer.list().length,
  peakRssMb: process.resourceUsage().maxRSS / 1000,
  heapMb: process.memoryUsage().heapUsed / 1e6,
  seconds: (performance.now() - startMs) / 1000,
  cpuSeconds: (user + system) / 1e6,
};
process.stdout.write(`${JSON.stringify(used)}\n`, () => process.exit());
