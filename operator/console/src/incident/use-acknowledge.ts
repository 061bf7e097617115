import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { freshKey, sayError } from '../api/call.ts';
import { sessionQuery } from '../api/reads.ts';
import { type Right, rightTo } from '../api/rights.ts';
import { commandIncident } from '../api/writes.ts';
import { say } from '../parts/toasts.tsx';

export interface Acknowledge {
  readonly right: Right;
  readonly busy: boolean;
  readonly run: () => void;
}

/** "I have seen it": one press, no question. */
export function useAcknowledge(report: Pick<IncidentReport, 'id' | 'namespace' | 'acknowledgedBy'>): Acknowledge {
  const client = useQueryClient();
  const session = useQuery(sessionQuery).data;
  const [busy, setBusy] = useState(false);
  const right = rightTo(session, 'responder', report.namespace);
  const run = (): void => {
    if (busy) return;
    if (right.kind === 'may-not') {
      say(`Not acknowledged: ${right.why}`);
      return;
    }
    setBusy(true);
    commandIncident(report.id, 'ack', {}, freshKey())
      .then(() => say('Acknowledged'))
      .catch((error: unknown) => say(`Not acknowledged: ${sayError(error)}`))
      .finally(() => {
        setBusy(false);
        void client.invalidateQueries({ queryKey: ['incident'] });
      });
  };
  return { right, busy, run };
}
