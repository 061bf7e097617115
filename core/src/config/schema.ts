import { z } from 'zod';
import { actingSection } from './sections/acting.ts';
import { authSection } from './sections/auth.ts';
import { databaseSection } from './sections/database.ts';
import { incidentsSection, ingestSection, notifySection } from './sections/ingest.ts';
import { investigationSection } from './sections/investigation.ts';
import { kubernetesSection } from './sections/kubernetes.ts';
import { modelSection } from './sections/model.ts';
import { serverSection } from './sections/server.ts';
import { telemetrySection } from './sections/telemetry.ts';

/**
 * Everything that can be configured. The reference page, the names of environment variables and the example file are made from it,
 * so an option exists exactly when it stands here.
 */
export const configSchema = z.strictObject({
  server: serverSection.prefault({}),
  database: databaseSection.prefault({}),
  kubernetes: kubernetesSection.prefault({}),
  ingest: ingestSection.prefault({}),
  incidents: incidentsSection.prefault({}),
  investigation: investigationSection.prefault({}),
  model: modelSection.prefault({}),
  acting: actingSection.prefault({}),
  notify: notifySection.prefault({}),
  auth: authSection.prefault({}),
  telemetry: telemetrySection.prefault({}),
});

/** As the file says it: text with units, options left out. */
export type ConfigInput = z.input<typeof configSchema>;
/** As the process uses it: milliseconds, bytes, every default filled in. */
export type Config = z.output<typeof configSchema>;
