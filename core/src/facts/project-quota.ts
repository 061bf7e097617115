import { asRecord, type Raw, recordAt, recordsAt, textAt } from './raw.ts';

/** What a namespace may use, or what a container in it gets by default. Amounts stand as people wrote them. */
export interface QuotaFact {
  readonly kind: 'ResourceQuota' | 'LimitRange';
  readonly name: string;
  readonly entries: readonly { readonly what: string; readonly used?: string; readonly limit: string }[];
}

export function projectResourceQuota(raw: Raw): QuotaFact {
  const hard = recordAt(recordAt(raw, 'status'), 'hard');
  const used = recordAt(recordAt(raw, 'status'), 'used');
  return {
    kind: 'ResourceQuota',
    name: textAt(recordAt(raw, 'metadata'), 'name') ?? '',
    entries: Object.entries(hard).map(([what, limit]) => ({
      what,
      used: String(used[what] ?? '0'),
      limit: String(limit),
    })),
  };
}

export function projectLimitRange(raw: Raw): QuotaFact {
  const entries = recordsAt(recordAt(raw, 'spec'), 'limits').flatMap((item) => {
    const type = textAt(item, 'type') ?? '';
    return ['max', 'min', 'default', 'defaultRequest'].flatMap((bound) =>
      Object.entries(asRecord(item[bound])).map(([resource, limit]) => ({
        what: `${type} ${bound} ${resource}`,
        limit: String(limit),
      })),
    );
  });
  return { kind: 'LimitRange', name: textAt(recordAt(raw, 'metadata'), 'name') ?? '', entries };
}
