import { z } from 'zod';
import { finish, type Steps } from '../steps.ts';
import {
  boundTexts,
  MAX_ANNOTATION_CHARACTERS,
  MAX_LABEL_CHARACTERS,
  MAX_PAYLOAD_CHARACTERS,
  MAX_WARNINGS,
  TRUNCATED_LABEL,
} from './alert-limits.ts';
import { cleanJson, cleanText, clip } from './clean-text.ts';
import { judgeDepthInSteps } from './json-limits.ts';
import { isStorableTime } from './storable-time.ts';

/** The column that keeps the number holds no more; Alertmanager sends at most a few thousand. */
const MAX_TRUNCATED_ALERTS = 2 ** 31 - 1;

/** Shorter bodies are parsed in the step that judged their depth. */
const LARGE_BODY = 1_048_576;

/** Deepest nesting of a webhook body. The real payload has four levels. */
export const DEEPEST_BODY = 64;

/** The parts of the envelope that are looked at; the rest is kept as it came. */
const envelopeSchema = z.looseObject({
  alerts: z.array(z.unknown()),
  groupKey: z.unknown().optional(),
  receiver: z.unknown().optional(),
  truncatedAlerts: z.unknown().optional(),
});

export interface WebhookEnvelope {
  readonly alerts: readonly unknown[];
  readonly groupKey: string | undefined;
  readonly receiver: string | undefined;
  /** How many alerts the sender left out of this body, by its own word. */
  readonly truncatedAlerts: number;
}

export type EnvelopeRead =
  | { readonly kind: 'envelope'; readonly envelope: WebhookEnvelope }
  | {
      readonly kind: 'refused';
      readonly reason: 'not-json' | 'too-deep' | 'not-an-object' | 'no-alerts';
      readonly message: string;
    };

/** Reads a body as far as it takes to know that it can be worked on later. Refuses only what no later attempt could read either. */
export function readEnvelope(body: string): EnvelopeRead {
  return finish(readEnvelopeInSteps(body));
}

/**
 * The same in steps. The parse is one of them: the longest body that the configuration allows takes less than a probe may wait, and a worker
 * thread would have to copy all alerts back, which costs the event loop more than the parse.
 */
export function* readEnvelopeInSteps(body: string): Steps<EnvelopeRead> {
  const depth = yield* judgeDepthInSteps(body, DEEPEST_BODY);
  if (depth.kind === 'too-deep') return { kind: 'refused', reason: depth.reason, message: depth.message };
  if (body.length > LARGE_BODY) yield;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error: unknown) {
    const why = error instanceof Error ? clip(error.message, 200) : 'unreadable';
    return { kind: 'refused', reason: 'not-json', message: `expected a JSON body, found something else: ${why}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      kind: 'refused',
      reason: 'not-an-object',
      message:
        'expected an Alertmanager webhook object, found another JSON value; use the standard payload of version 4',
    };
  }
  const parsed = envelopeSchema.safeParse(value);
  if (!parsed.success) {
    return {
      kind: 'refused',
      reason: 'no-alerts',
      message: `expected a list \`alerts\`, found ${'alerts' in value ? 'another value there' : 'none'}; use the standard payload of version 4, without a custom template`,
    };
  }
  const { alerts, groupKey, receiver, truncatedAlerts } = parsed.data;
  return {
    kind: 'envelope',
    envelope: {
      alerts,
      groupKey: typeof groupKey === 'string' ? cleanText(groupKey) : undefined,
      receiver: typeof receiver === 'string' ? cleanText(receiver) : undefined,
      truncatedAlerts:
        typeof truncatedAlerts === 'number' && truncatedAlerts >= 1
          ? Math.min(Math.floor(truncatedAlerts), MAX_TRUNCATED_ALERTS)
          : 0,
    },
  };
}

/** One alert as understood. `warnings` say what was odd and how it was read. */
export interface ReadAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: Date | undefined;
  readonly endsAt: Date | undefined;
  readonly fingerprint: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

export type AlertRead =
  | { readonly kind: 'alert'; readonly alert: ReadAlert }
  | { readonly kind: 'unreadable'; readonly reason: 'not-an-object' | 'no-labels'; readonly message: string };

const alertSchema = z.looseObject({ labels: z.record(z.string(), z.unknown()) });

/** Always kept, whatever else an alert carries. */
const FIRST_LABELS: readonly string[] = ['alertname', 'severity'];
const FIRST_ANNOTATIONS: readonly string[] = ['summary', 'description', 'message', 'runbook_url'];

/** Reads one alert by itself, so that a bad one costs the others nothing. `first` names further labels to keep when there are too many. */
export function readAlert(value: unknown, first: readonly string[] = []): AlertRead {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      kind: 'unreadable',
      reason: 'not-an-object',
      message: 'expected an alert object, found another JSON value',
    };
  }
  const parsed = alertSchema.safeParse(value);
  if (!parsed.success) {
    return { kind: 'unreadable', reason: 'no-labels', message: 'expected an object `labels`, found none' };
  }
  const warnings: string[] = [];
  const raw = parsed.data as Readonly<Record<string, unknown>>;
  const startsAt = readTime(raw.startsAt, 'startsAt', warnings);
  const endsAt = readTime(raw.endsAt, 'endsAt', warnings);
  const labels = readTexts(
    parsed.data.labels,
    { field: 'labels', maxCharacters: MAX_LABEL_CHARACTERS, first: [...FIRST_LABELS, ...first] },
    warnings,
  );
  const annotations = readTexts(
    raw.annotations ?? {},
    { field: 'annotations', maxCharacters: MAX_ANNOTATION_CHARACTERS, first: FIRST_ANNOTATIONS },
    warnings,
  );
  const characters = JSON.stringify(raw).length;
  const isLarge = characters > MAX_PAYLOAD_CHARACTERS;
  const isTruncated = labels.isTruncated || annotations.isTruncated || isLarge;
  if (isLarge)
    warnings.push(
      `expected at most ${MAX_PAYLOAD_CHARACTERS} characters, found ${characters}; fields that are not Alertmanager's own are left out`,
    );
  const marked = isTruncated
    ? { ...labels.texts, [TRUNCATED_LABEL]: 'more labels or longer texts came than are kept' }
    : labels.texts;
  return {
    kind: 'alert',
    alert: {
      status: readStatus(raw.status, endsAt, warnings),
      labels: marked,
      annotations: annotations.texts,
      startsAt,
      endsAt,
      fingerprint:
        typeof raw.fingerprint === 'string' && raw.fingerprint !== '' ? cleanText(raw.fingerprint) : undefined,
      payload: isTruncated
        ? { ...ownFields(raw), labels: marked, annotations: annotations.texts }
        : (cleanJson(raw) as Readonly<Record<string, unknown>>),
      warnings: warnings.slice(0, MAX_WARNINGS),
    },
  };
}

/** Alertmanager's own short fields of an alert. */
function ownFields(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['status', 'startsAt', 'endsAt', 'generatorURL', 'fingerprint'].flatMap((field) => {
      const value = raw[field];
      return typeof value === 'string' ? [[field, clip(cleanText(value), MAX_LABEL_CHARACTERS)]] : [];
    }),
  );
}

function readStatus(value: unknown, endsAt: Date | undefined, warnings: string[]): 'firing' | 'resolved' {
  if (value === 'firing' || value === 'resolved') return value;
  // Without an end, firing: that shows it to somebody; read as resolved it would vanish.
  const read = endsAt === undefined ? 'firing' : 'resolved';
  warnings.push(
    `status: expected firing or resolved, found \`${clip(String(JSON.stringify(value)), 40)}\`; read as ${read}`,
  );
  return read;
}

/** Alertmanager writes year 1 for "not yet". A year of five digits is no RFC 3339 time and nothing that the database can read. */
function readTime(value: unknown, field: string, warnings: string[]): Date | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const time = typeof value === 'string' ? new Date(value) : undefined;
  if (time === undefined || !isStorableTime(time)) {
    warnings.push(`${field}: expected an RFC 3339 time, found \`${clip(String(JSON.stringify(value)), 40)}\`; ignored`);
    return undefined;
  }
  return time.getUTCFullYear() <= 1 ? undefined : time;
}

function readTexts(
  value: unknown,
  options: Parameters<typeof boundTexts>[1],
  warnings: string[],
): { readonly texts: Readonly<Record<string, string>>; readonly isTruncated: boolean } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    warnings.push(`${options.field}: expected an object, found another value; ignored`);
    return { texts: {}, isTruncated: false };
  }
  const bounded = boundTexts(value as Readonly<Record<string, unknown>>, options);
  warnings.push(...bounded.warnings);
  return bounded;
}
