import type { AskedKind } from './asked.ts';
import type { EdgeSeen } from './edges.ts';
import type { StoryResult } from './run-story.ts';

export interface SignInLink {
  readonly principal: string;
  readonly role: string;
  readonly url: string;
}

/** What the demo tells: on stderr for people, and with `--json` one object a line on stdout for programs. */
export interface Output {
  say(line: string): void;
  ready(url: string, signIn: readonly SignInLink[]): void;
  edge(edge: EdgeSeen): void;
  story(result: StoryResult): void;
  /** Which kinds of request the simulated cluster was asked. For programs alone. */
  asked(kinds: readonly AskedKind[]): void;
}

export interface Sinks {
  stdout(text: string): void;
  stderr(text: string): void;
}

export function createOutput(sinks: Sinks, options: { readonly json: boolean; readonly pid: number }): Output {
  const emit = (message: object) => {
    if (options.json) sinks.stdout(`${JSON.stringify({ v: 1, ...message })}\n`);
  };
  const say = (line: string) => sinks.stderr(`${line}\n`);
  return {
    say,
    ready(url, signIn) {
      emit({ type: 'ready', url, signIn, pid: options.pid });
      say(`\nHephaisto is ready at ${url}\n\nOne link a person, good once:`);
      for (const link of signIn) say(`  ${link.principal.padEnd(5)} ${link.role.padEnd(10)} ${link.url}`);
      say('');
    },
    edge(edge) {
      const { incident, reason } = edge;
      emit({ type: 'edge', incident: incident.id, edge: edge.edge, from: edge.from, to: edge.to, reason, at: edge.at });
      say(
        `  incident ${incident.number}  ${edge.from ?? 'new'} → ${edge.to ?? ''}  ${reason ?? ''}  ${incident.title}`,
      );
    },
    asked: (kinds) => emit({ type: 'asked', kinds }),
    story(result) {
      const { story, verdict, differences, seen, ms } = result;
      const incidents = seen.incidents.map(({ id, number, state, reason }) => ({
        id,
        number,
        state,
        reason: reason ?? null,
      }));
      emit({
        type: 'story',
        id: story.id,
        verdict,
        expected: story.expected,
        seen: { incidents: seen.incidents, benign: seen.benign },
        incidents,
        writes: seen.writes,
        differences,
        ms,
      });
      say(`story ${story.id}: ${verdict === 'as-told' ? 'as told' : 'not as told'} (${(ms / 1000).toFixed(1)} s)`);
      for (const difference of differences) say(`  - ${difference}`);
    },
  };
}
