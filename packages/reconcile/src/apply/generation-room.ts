/**
 * Where `observedGeneration` may be said of a kind: in its status, and in each condition (KEP-1623).
 * Kinds of one's own have room for both, Gateways in conditions only, Deployments in the status,
 * Jobs nowhere; an apply of a field that the schema does not know is refused as a whole.
 */
export interface GenerationRoom {
  readonly inStatus: boolean;
  readonly inConditions: boolean;
}

/**
 * The rooms that a kind may have, the largest first. What Kubernetes' own kinds have observed is for
 * their own controllers to say, whatever room there is: `kubectl rollout status` goes by it.
 */
export function roomsOf(group: string): readonly GenerationRoom[] {
  const isOfKubernetes = !group.includes('.') || group.endsWith('.k8s.io');
  return rooms.filter(({ inStatus }) => !(inStatus && isOfKubernetes));
}

/** What kinds of one's own have. */
export const fullRoom: GenerationRoom = { inStatus: true, inConditions: true };

const rooms: readonly GenerationRoom[] = [
  fullRoom,
  { inStatus: false, inConditions: true },
  { inStatus: true, inConditions: false },
  { inStatus: false, inConditions: false },
];
