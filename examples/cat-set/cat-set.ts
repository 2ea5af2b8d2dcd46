/**
 * A CatSet keeps numbered Pods, each with a volume of its own, as a StatefulSet does: they come up
 * one after the other, are renewed one at a time from the last, and their volumes stay.
 */
import {
  asIs,
  defineKind,
  field,
  operator,
  PersistentVolumeClaim,
  Pod,
  progressing,
  ready,
} from 'fnlet/operator';
import { claim, isReady, pod } from './cat-set-children.ts';

export const CatSet = defineKind({
  ...{ group: 'example.dev', version: 'v1', kind: 'CatSet', description: 'Numbered Pods.' },
  spec: {
    replicas: field.integer('How many.', { default: 1, minimum: 0, maximum: 50 }),
    image: field.text('Image of the one container.', { default: 'node:24-slim' }),
    command: field.list('What it runs.', field.text('A word.'), { default: [] }),
  },
  status: { readyReplicas: field.integer('How many are ready.') },
});

export default operator(CatSet, {
  owns: [Pod.keep('spec.containers', 'status.conditions'), PersistentVolumeClaim.keep('spec')],
  reconcile({ object, children }) {
    const names = Array.from({ length: object.spec.replicas }, (_, i) => {
      return `${object.metadata.name}-${i}`;
    });
    const pods = [...children(Pod)];
    const old = pods.filter(({ spec }) => spec?.containers?.[0]?.image !== object.spec.image);
    const isOld = (name: string): boolean => old.some(({ metadata }) => metadata.name === name);
    const readyReplicas = pods.filter(isReady).length;
    const isSettled = readyReplicas === names.length;
    // What is not wanted is deleted, and made anew by the next run.
    const goes = isSettled ? names.findLast((name) => isOld(name)) : undefined;
    const stays = names.filter((name) => name !== goes).map((name) => pod(name, object.spec));
    const claims = children(PersistentVolumeClaim);
    return {
      children: [
        ...[...claims].map(asIs),
        ...names.filter((name) => claims.get(name) === undefined).map(claim),
        ...stays.map((one, i) => ({
          ...(isOld(one.metadata.name) ? asIs(one) : { object: one }),
          after: stays.slice(Math.max(0, i - 1), i),
        })),
      ],
      status: { readyReplicas },
      conditions: [
        isSettled && old.length === 0 ? ready() : progressing('Rolling', `${readyReplicas} ready`),
      ],
    };
  },
});
