import { CREDENTIAL_FORMS, FLAG, isSensitiveName, looksSecret, PAIR } from './secret-forms.ts';

/**
 * Takes secrets out of text and objects before anything is stored, shown or sent. Equal secrets get equal marks within one redactor,
 * so that a changed one still reads as changed; the marks count up and say nothing of the values.
 */
export interface Redactor {
  text(text: string): string;
  /** The same structure with its strings redacted; string values under a sensitive name go whole. */
  deep<T>(value: T): T;
  /** How many distinct values were taken out. */
  readonly found: number;
}

/** Beyond this many distinct secrets the marks no longer count, so that a log of nothing but tokens keeps memory bounded. */
const MOST_NUMBERED = 1_000;

/** Cheap test that no form can match: most lines of most logs end here. */
const TRIGGER =
  /pass|pwd|secret|token|key|credential|cookie|auth|bearer|basic|:\/\/|-----BEGIN|eyJ|AKIA|ASIA|gh[pousr]_|github_pat|glpat-|xox|sk-|[sr]k_|AIza|ya29|npm_|dckr_pat|hf_|SG\.|pypi-|hv[sb]\.|dop_v1|shp/i;

export function createRedactor(): Redactor {
  const marks = new Map<string, string>();

  function mark(secret: string): string {
    const known = marks.get(secret);
    if (known !== undefined) return known;
    if (marks.size >= MOST_NUMBERED) return '[redacted]';
    const fresh = `[redacted:${marks.size + 1}]`;
    marks.set(secret, fresh);
    return fresh;
  }

  function text(original: string): string {
    if (!TRIGGER.test(original)) return original;
    let redacted = original;
    for (const form of CREDENTIAL_FORMS) {
      redacted = redacted.replace(form.pattern, (whole: string, ...groups: unknown[]) => {
        const [before = '', secret = '', after = ''] = groups
          .slice(0, 3)
          .map((group) => (typeof group === 'string' ? group : ''));
        if (secret === '' || isMark(secret) || form.unless?.(secret) === true) return whole;
        return `${before}${mark(secret)}${after}`;
      });
    }
    redacted = redacted.replace(FLAG, (whole: string, flag: string, secret: string) =>
      isMark(secret) ? whole : `${flag}${mark(secret)}`,
    );
    return redacted.replace(
      PAIR,
      (whole: string, name: string, separator: string, double?: string, single?: string, bare?: string) => {
        const secret = double ?? single ?? bare ?? '';
        if (secret === '' || isMark(secret) || !isSensitiveName(name)) return whole;
        if (bare !== undefined && !separator.startsWith('=') && !looksSecret(bare)) return whole;
        const quote = double !== undefined ? '"' : single !== undefined ? "'" : '';
        return `${name}${separator}${quote}${mark(secret)}${quote}`;
      },
    );
  }

  function member(parent: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
    if (typeof value !== 'string') return deepAny(value, parent, key);
    const sensitive = isSensitiveName(key) || (key === 'value' && namesSecret(parent));
    return sensitive && value !== '' && !isMark(value) ? mark(value) : text(value);
  }

  function deepAny(value: unknown, parent?: Readonly<Record<string, unknown>>, key?: string): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map((item, index) => listItem(value, item, index));
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    const record = value as Readonly<Record<string, unknown>>;
    // `{name: 'DB_PASSWORD', source: {kind: 'value', value: …}}`: the name stands one level above the value.
    const inherited =
      key === 'source' && parent !== undefined && typeof parent.name === 'string' ? parent.name : undefined;
    const named = inherited !== undefined && record.kind === 'value' ? { ...record, name: inherited } : record;
    return Object.fromEntries(
      Object.entries(record).map(([childKey, child]) => [childKey, member(named, childKey, child)]),
    );
  }

  function listItem(list: readonly unknown[], item: unknown, index: number): unknown {
    const previous = list[index - 1];
    const afterFlag = typeof previous === 'string' && /^--?[\w-]+$/.test(previous) && isSensitiveName(previous);
    if (typeof item === 'string' && afterFlag && !item.startsWith('-') && !isMark(item)) return mark(item);
    return deepAny(item);
  }

  return {
    text,
    deep: <T>(value: T): T => deepAny(value) as T,
    get found() {
      return marks.size;
    },
  };
}

/** Redacts one text on its own. */
export function redactText(text: string): string {
  return createRedactor().text(text);
}

function isMark(text: string): boolean {
  return text.startsWith('[redacted');
}

function namesSecret(parent: Readonly<Record<string, unknown>>): boolean {
  return typeof parent.name === 'string' && isSensitiveName(parent.name);
}
