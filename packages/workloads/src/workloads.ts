/**
 * Everything between a Deployment and its processes: controllers that make Pods, the scheduler
 * that places them on the one Node, and the kubelet that runs them. The Node itself is kept by its
 * NodeKeeper, which is there even when nothing else of this room is needed.
 *
 * I1. Pods that mirror Instances of Functions are not run here: the executor does. Only budgets and
 *     autoscalers count them. Where a controller elsewhere makes them, they are Pods like others.
 * I2. What this room decides is in the API before it is acted on; a restart goes on from there.
 */
import { createEventRecorder, createManager } from '@fnlet/reconcile';
import { createAutoscalerController } from './autoscaling/autoscaler-controller.ts';
import {
  autoscalerType,
  type HorizontalPodAutoscaler,
} from './autoscaling/horizontal-pod-autoscaler.ts';
import type { ControllerContext } from './controller-context.ts';
import { type ControllerRevision, controllerRevisionType } from './controller-revision.ts';
import { type CronJob, cronJobType } from './cron-job.ts';
import { createCronJobController } from './cron-job-controller.ts';
import { type DaemonSet, daemonSetType } from './daemon-set.ts';
import { createDaemonSetController } from './daemon-set-controller.ts';
import { type Deployment, deploymentType } from './deployment.ts';
import { createDeploymentController } from './deployment-controller.ts';
import { type DisruptionBudget, disruptionBudgetType } from './disruption-budget.ts';
import { createDisruptionController } from './disruption-controller.ts';
import { createEndpointsController } from './endpoints-controller.ts';
import { type Job, jobType } from './job.ts';
import { createJobController } from './job-controller.ts';
import { createKubelet } from './kubelet.ts';
import type { KubeletOptions } from './kubelet-context.ts';
import { type Machine, type Node, nodeCapacity, nodeName, nodeType } from './node.ts';
import { foreignPods, instancePods, type Pod, podType } from './pod.ts';
import { PodControl } from './pod-control.ts';
import { type ReplicaSet, replicaSetType } from './replica-set.ts';
import {
  createReplicaSetController,
  createReplicationControllerController,
} from './replica-set-controller.ts';
import { type ReplicationController, replicationControllerType } from './replication-controller.ts';
import { createScheduler } from './scheduler.ts';
import { foreignServices, type Service, serviceType } from './service.ts';
import { type StatefulSet, statefulSetType } from './stateful-set.ts';
import { createStatefulSetController } from './stateful-set-controller.ts';

export interface WorkloadsOptions extends Omit<KubeletOptions, 'nodeName' | 'hostIP' | 'capacity'> {
  readonly machine: Machine;
  /**
   * Whether Pods of Functions are run here like all others, for a controller elsewhere makes them.
   * Default false.
   */
  readonly runsInstances?: boolean;
}

export interface Workloads {
  /** Works until `signal` aborts. To be called once. The runtime stays its owner's. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * @example
 * const workloads = createWorkloads({ client, runtime, machine, … });
 * await workloads.run(signal);
 */
export function createWorkloads(options: WorkloadsOptions): Workloads {
  const { client, machine, runsInstances = false, clock, random, logger } = options;
  const manager = createManager({ client, clock, random, logger });
  const events = createEventRecorder({ client, component: 'fnlet', clock, random, logger });
  const pods = manager.cache<Pod>(podType, runsInstances ? {} : { labelSelector: foreignPods });
  const nodes = manager.cache<Node>(nodeType);
  const replicaSets = manager.cache<ReplicaSet>(replicaSetType);
  const deployments = manager.cache<Deployment>(deploymentType);
  const jobs = manager.cache<Job>(jobType);
  const cronJobs = manager.cache<CronJob>(cronJobType);
  const services = manager.cache<Service>(
    serviceType,
    runsInstances ? {} : { labelSelector: foreignServices },
  );
  const podControl = new PodControl({ client, pods, events, random });
  const context: ControllerContext = { client, pods, podControl, events, clock, random, logger };
  const kubelet = {
    ...options,
    nodeName: nodeName(machine),
    hostIP: machine.address,
    capacity: nodeCapacity(machine),
    events,
  };
  manager.addService(events);
  manager.addController(createScheduler({ ...context, nodes }));
  manager.addController(createKubelet(kubelet, pods));
  manager.addController(createReplicaSetController(context, replicaSets));
  const replication = manager.cache<ReplicationController>(replicationControllerType);
  manager.addController(createReplicationControllerController(context, replication));
  manager.addController(createDeploymentController(context, { deployments, replicaSets }));
  const statefulSets = manager.cache<StatefulSet>(statefulSetType);
  const daemonSets = manager.cache<DaemonSet>(daemonSetType);
  const revisions = manager.cache<ControllerRevision>(controllerRevisionType);
  manager.addController(createStatefulSetController(context, { statefulSets, revisions }));
  manager.addController(createDaemonSetController(context, { daemonSets, nodes, revisions }));
  manager.addController(createJobController(context, jobs));
  manager.addController(createCronJobController(context, { cronJobs, jobs }));
  manager.addController(createEndpointsController(context, services));
  const budgets = manager.cache<DisruptionBudget>(disruptionBudgetType);
  // Where all are alike there are no others beside them.
  const others = runsInstances ? `${instancePods},${foreignPods}` : instancePods;
  const instances = manager.cache<Pod>(podType, { labelSelector: others });
  const scaled = { replicaSets, deployments, statefulSets };
  manager.addController(createDisruptionController(context, { budgets, instances, ...scaled }));
  const autoscalers = manager.cache<HorizontalPodAutoscaler>(autoscalerType);
  manager.addController(createAutoscalerController(context, { autoscalers, instances }));
  return {
    async run(signal) {
      const unfollow = podControl.follow();
      try {
        await manager.run(signal);
      } finally {
        unfollow();
      }
    },
  };
}
