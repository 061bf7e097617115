import type { PodRefusal } from '../finding/finding.ts';

interface RefusalForm {
  readonly by: PodRefusal;
  /** Group 1, where there is one, names the object that refuses or is missing. */
  readonly form: RegExp;
  /** The object in a sentence. */
  readonly noun: string;
}

/** The API server's answers to a controller that creates a pod, as they are in FailedCreate events. The first form that matches counts. */
export const REFUSAL_FORMS: readonly RefusalForm[] = [
  { by: 'quota', form: /exceeded quota: ([a-z0-9.-]{1,253})/, noun: 'ResourceQuota' },
  { by: 'quota', form: /failed quota: ([a-z0-9.-]{1,253})/, noun: 'ResourceQuota' },
  { by: 'quota', form: /insufficient quota to match these scopes/, noun: 'ResourceQuota' },
  {
    by: 'limit-range',
    form: /(?:maximum|minimum) \S{1,100} usage per (?:Container|Pod)|limit to request ratio/,
    noun: 'LimitRange',
  },
  { by: 'pod-security', form: /violates PodSecurity "([^"]{1,200})"/, noun: 'PodSecurity level' },
  { by: 'webhook', form: /admission webhook "([^"]{1,253})" denied/, noun: 'admission webhook' },
  { by: 'webhook', form: /failed calling webhook "([^"]{1,253})"/, noun: 'admission webhook' },
  { by: 'policy', form: /ValidatingAdmissionPolicy '([^']{1,253})'/, noun: 'ValidatingAdmissionPolicy' },
  {
    by: 'service-account',
    form: /error looking up service account [^\s/]{1,63}\/([a-z0-9.-]{1,253}): /,
    noun: 'ServiceAccount',
  },
  { by: 'priority-class', form: /no PriorityClass with name ([a-z0-9.-]{1,253}) was found/, noun: 'PriorityClass' },
  { by: 'namespace', form: /because it is being terminated/, noun: 'namespace that is being deleted' },
];

export interface Refusal {
  readonly by: PodRefusal;
  readonly noun: string;
  readonly name?: string;
}

/** Forms are tried on this much of a message: the refusal comes before the numbers. */
const MAX_TESTED = 2_000;

export function refusalIn(message: string): Refusal {
  const tested = message.slice(0, MAX_TESTED);
  for (const { by, form, noun } of REFUSAL_FORMS) {
    const match = form.exec(tested);
    // A sentence's full stop or colon is no part of the name.
    const name = match?.[1]?.replace(/[.-]$/, '');
    if (match !== null) return { by, noun, ...(name === undefined ? {} : { name }) };
  }
  return { by: 'other', noun: 'API server' };
}
