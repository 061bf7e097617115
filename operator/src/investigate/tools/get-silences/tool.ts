import { renderSilences } from '@hephaisto/core/evidence/tables/metrics';
import type { AlertingReader, SeenSilence } from '@hephaisto/core/ports/observability';
import { plainTool } from '../../tool.ts';
import { getSilencesArgs } from './schema.ts';

export function getSilences(alerting: AlertingReader) {
  return plainTool<readonly SeenSilence[], Readonly<Record<string, never>>>({
    name: 'get_silences',
    description: 'Silences in force, with who set them and why: planned work often stands there.',
    schema: getSilencesArgs,
    wouldHaveTold: 'whether somebody has silenced this on purpose',
    read: (_args, signal) => alerting.silences(signal),
    render: renderSilences,
  });
}
