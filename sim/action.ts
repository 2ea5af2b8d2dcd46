/** Something that happens in the simulated world, as data: histories are printed and shrunk. */
export type Action = UserAction | FaultAction | ProcessAction;

/** An object of a kind of the world. */
export interface Place {
  readonly kind: string;
  readonly name: string;
}

/** What is asked of an object. */
export interface Wish extends Place {
  readonly text: string;
  readonly count: number;
}

/** Whether something about an object is to be so. */
export interface Toggle extends Place {
  readonly isOn: boolean;
}

export type UserAction =
  | (Wish & { readonly type: 'create' | 'change' | 'recreate' })
  | (Place & { readonly type: 'delete' })
  /** The label by which a Zone is the operator's, the pause annotation, a foreign finalizer. */
  | (Toggle & { readonly type: 'label' | 'pause' | 'finalizer' })
  | ChildAction
  | { readonly type: 'part'; readonly name: string; readonly bundle: string; readonly text: string }
  | { readonly type: 'remove part'; readonly name: string }
  /** The definition of a kind is written anew. */
  | { readonly type: 'definition'; readonly kind: string; readonly note: string }
  /** What the operators may do: everything that they need, only read, nothing. */
  | { readonly type: 'rights'; readonly level: RightsLevel };

/** What happens to the first child of an object. */
export type ChildAction =
  /** Somebody changes, or deletes it. */
  | (Place & { readonly type: 'drift' | 'remove child' })
  /** Somebody adds a field of theirs. */
  | (Place & { readonly type: 'meddle'; readonly text: string })
  /** Somebody makes an object where it is to be. */
  | (Place & { readonly type: 'squat' });

export type RightsLevel = 'all' | 'read' | 'none';

export type FaultAction =
  | {
      readonly type: 'fault';
      readonly fault: 'gone' | 'conflict' | 'throttle' | 'unavailable' | 'fail' | 'loseAnswer';
      readonly resource: string;
      readonly times: number;
    }
  | {
      readonly type: 'slow';
      readonly resource: string;
      readonly times: number;
      readonly delayMs: number;
    }
  | { readonly type: 'drop watches'; readonly resource: string };

/** Of one of the operators' processes, by its number. */
export interface ProcessAction {
  readonly type: 'kill' | 'stop' | 'start' | 'cut' | 'heal' | 'deafen' | 'hear';
  readonly replica: number;
}

/** An action and when it happens, in milliseconds after the one before. */
export interface Step {
  readonly afterMs: number;
  readonly action: Action;
}

/** One line for people. */
export function describeStep({ afterMs, action }: Step): string {
  const { type, ...rest } = action;
  const facts = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  return `+${afterMs}ms ${type} ${facts.join(' ')}`;
}
