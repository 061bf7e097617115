import type { KubeClient } from '../../operator/src/demo/kube-client/kube-client.ts';
import type { Pace } from '../../operator/src/demo/pace.ts';
import type { Behaviour } from '../../operator/src/demo/stories/behaviour.ts';
import type { Answer, Api } from './api.ts';
import { normalise } from './normalise.ts';

/** One of the two clusters, as a case sees it: a namespace of its own, and people to ask as. */
export interface Stage {
  readonly world: 'simulated' | 'real';
  /** This case's own; exists, with its default account. */
  readonly namespace: string;
  /** May do everything. */
  readonly admin: Api;
  /** The product's own account with exactly its generated roles; may act in this case's namespace. */
  readonly operator: Api;
  readonly anonymous: Api;
  /** As somebody whose token the server does not know. */
  readonly stranger: Api;
  /** The demo's client, as the administrator. */
  readonly client: KubeClient;
  readonly operatorToken: string;
  readonly pace: Pace;
  /** Runs kubectl; cut off after `forMs` where given. For cases that say they need it. */
  kubectl(as: 'admin' | 'operator', args: readonly string[], forMs?: number): Promise<Ran>;
  setBehaviours(behaviours: readonly Behaviour[]): void;
  /** Forgets the past on this cluster: every watch and page that starts before now is too old. */
  compact(): Promise<void>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface ContractCase {
  /** Lower case with hyphens, unique, short enough to end a namespace's name. */
  readonly id: string;
  readonly title: string;
  /** Needs the kubectl binary, and so cannot be played where only npm is. */
  readonly kubectl?: boolean;
  /** Alone, after all others: what it does to the cluster would disturb them. */
  readonly exclusive?: boolean;
  /** What was observed; must be equal on both clusters once normalised. */
  readonly run: (stage: Stage) => Promise<unknown>;
}

/** An answer as it is compared: all of it. */
export function whole(answer: Answer): unknown {
  const { contentType, ...rest } = answer;
  return normalise({ ...rest, contentType: contentType.split(';')[0] });
}

/** Looks again and again until the view is as wanted; the last view when time is up, so that the comparison shows it. */
export async function until<T>(look: () => Promise<T>, wanted: (view: T) => boolean, withinMs = 30_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const view = await look();
    if (wanted(view) || Date.now() > deadline) return view;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
