/**
 * Whether anything is sent to a target at all. Where it is down, thousands of events would each
 * find that out by themselves, and use up their tries with it; so a few do, and then one at a time.
 *
 *     closed ──▶ open ──▶ probing ──▶ closed
 *                  ▲         │
 *                  └─────────┘
 *
 * I1. One event alone, however often it is tried, does not open it: it may be the event.
 * I2. While it is open at most one event is out that was sent since.
 * I3. Any answer that shows the target alive closes it; then as many more go at once as went well.
 */
import { backoffDelayMs, type Random } from '@fnlet/base';
import type { DeliveryLimits } from './limits.ts';

export interface Circuit {
  readonly state: 'closed' | 'open' | 'probing';
  /** Deliveries at once. */
  readonly window: number;
  /** Events that found the target down since it last answered. */
  readonly troubled: readonly number[];
  /** How often in a row it was opened. */
  readonly opened: number;
  /** When the next event may be sent, while it is open. */
  readonly probeMs: number;
  /** The event that was sent to find out, while it is out. */
  readonly probe: number;
}

/** What an event found. */
export interface Finding {
  readonly sequence: number;
  readonly isDown: boolean;
  /** How long the target asked to be left alone. */
  readonly wishedMs: number;
}

export interface CircuitContext {
  readonly windowMax: number;
  readonly nowMs: number;
  readonly random: Random;
  readonly limits: Pick<DeliveryLimits, 'circuitEvents' | 'circuitBaseMs' | 'circuitCapMs'>;
}

export function closedCircuit(windowMax: number): Circuit {
  return { state: 'closed', window: windowMax, troubled: [], opened: 0, probeMs: 0, probe: 0 };
}

/** Whether one more may be sent, with so many out. */
export function mayPass({ state, window, probeMs }: Circuit, out: number, nowMs: number): boolean {
  if (state === 'closed') return out < window;
  return state === 'open' && nowMs >= probeMs;
}

/** One more is sent. */
export function passCircuit(circuit: Circuit, sequence: number): Circuit {
  return circuit.state === 'open' ? { ...circuit, state: 'probing', probe: sequence } : circuit;
}

/** What was to be sent was not. */
export function endProbe(circuit: Circuit, sequence: number): Circuit {
  const isProbe = circuit.state === 'probing' && circuit.probe === sequence;
  return isProbe ? { ...circuit, state: 'open' } : circuit;
}

export function decideCircuit(
  circuit: Circuit,
  finding: Finding,
  context: CircuitContext,
): Circuit {
  if (!finding.isDown) return answeredCircuit(circuit, context.windowMax);
  if (circuit.state !== 'closed') {
    // What was sent before it opened says nothing new.
    const isProbe = circuit.state === 'probing' && circuit.probe === finding.sequence;
    return isProbe ? open(circuit, finding, context) : circuit;
  }
  if (circuit.troubled.includes(finding.sequence)) return circuit;
  const troubled = [...circuit.troubled, finding.sequence];
  if (troubled.length < context.limits.circuitEvents) return { ...circuit, troubled };
  return open(circuit, finding, context);
}

function answeredCircuit(circuit: Circuit, windowMax: number): Circuit {
  if (circuit.state !== 'closed') return { ...closedCircuit(windowMax), window: 1 };
  // The hot path: nothing changes for a target that is well.
  if (circuit.troubled.length === 0 && circuit.window >= windowMax) return circuit;
  return { ...circuit, troubled: [], window: Math.min(circuit.window + 1, windowMax) };
}

function open(circuit: Circuit, { wishedMs }: Finding, context: CircuitContext): Circuit {
  const { nowMs, random, limits } = context;
  const { circuitBaseMs: baseMs, circuitCapMs: capMs } = limits;
  const opened = circuit.opened + 1;
  const delayMs = backoffDelayMs(opened, { baseMs, capMs, jitter: 0.5 }, random);
  const probeMs = nowMs + Math.max(Math.round(delayMs), wishedMs);
  return { state: 'open', window: 1, troubled: [], opened, probeMs, probe: 0 };
}
