import { judgeAccess } from '@hephaisto/core/principal/access';
import { type Component, Health, Switch } from '@hephaisto/core/report/installation';
import { z } from 'zod';
import { readStoredHealth } from '../../flow/9-report/health.ts';
import { defineRoute, headerText, type RouteContext } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';
import { etagOf, versionOf } from '../query.ts';
import { refusalProblem } from '../refusals.ts';
import { authorOf } from './incidents.ts';

const EMERGENCY_STOP = 'emergency_stop';
const Reason = z.string().trim().min(1).max(2000);

/** Switches and health: what all namespaces share. */
export function registerInstallationRoutes(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'GET /api/v1/switches', {
    summary: 'Read the switches: what each arm says and what is in force',
    tag: 'installation',
    answer: z.object({ items: z.array(Switch) }).meta({ id: 'Switches' }),
    async handle() {
      return { status: 200, body: { items: await deps.switches() } };
    },
  });
  defineRoute(context, 'PUT /api/v1/switches/:name', {
    summary: 'Set a switch; needs If-Match with the version seen',
    description:
      'The kill switch is `emergency_stop` with `on` or `off`. A responder may turn it on, and then If-Match may be left out, since stopping must never wait for a reread; everything else is an admin’s.',
    tag: 'installation',
    params: z.object({ name: z.string().min(1).max(100) }),
    ifMatch: true,
    body: z.object({ value: z.string().min(1).max(50), reason: Reason }),
    answer: Switch,
    async handle({ params, body, caller, request }) {
      const stops = params.name === EMERGENCY_STOP && body.value === 'on';
      const verdict = judgeAccess(caller, stops ? 'responder' : 'admin', undefined);
      if (verdict.kind === 'refused')
        throw new ApiProblem('role-missing', verdict.message, { details: { needed: 'admin' } });
      const current = (await deps.switches()).find((entry) => entry.name === params.name);
      if (current === undefined)
        throw new ApiProblem('switch-not-found', `expected a known switch, found \`${params.name}\``);
      const seen = versionOf(headerText(request.headers['if-match']));
      if (seen === undefined && !stops)
        throw new ApiProblem(
          'version-required',
          'expected the header If-Match with the version of the switch, found none',
        );
      if (seen !== undefined && seen !== current.version)
        throw new ApiProblem(
          'version-mismatch',
          `expected version ${current.version}, found ${seen}; read the switch again`,
        );
      const outcome = await deps.commands.setSwitch({
        ...authorOf(caller),
        name: params.name,
        value: body.value,
        reason: body.reason,
        // Never the version read above: two who stop at the same moment must both have stopped it.
        ...(seen === undefined ? {} : { expectedVersion: seen }),
      });
      if (outcome.kind === 'refused') throw refusalProblem(outcome);
      const changed = (await deps.switches()).find((entry) => entry.name === params.name);
      if (changed === undefined)
        throw new ApiProblem('switch-not-found', `expected a known switch, found \`${params.name}\``);
      return { status: 200, body: changed, headers: { etag: etagOf(changed.version) } };
    },
  });
  defineRoute(context, 'GET /api/v1/health', {
    summary: 'Read what is reachable, what is missing and what is lost by it',
    tag: 'installation',
    answer: Health,
    async handle() {
      const [stored, components, switches] = [
        await readStoredHealth(deps.db),
        await deps.components(),
        await deps.switches(),
      ];
      const effective = (name: string) => switches.find((entry) => entry.name === name)?.effective;
      const emergencyStop = effective(EMERGENCY_STOP) === 'on';
      const mode = effective('agent_mode') ?? 'observe';
      const health: Health = {
        status: worst(components),
        version: deps.version,
        ...stored,
        components: [...components],
        actions: { enabled: !emergencyStop && (mode === 'approve' || mode === 'auto'), mode, emergencyStop },
        policyHash: deps.policyHash(),
      };
      return { status: 200, body: health };
    },
  });
}

function worst(components: readonly Component[]): Health['status'] {
  if (components.some((component) => component.status === 'failed')) return 'failed';
  return components.some((component) => component.status === 'degraded') ? 'degraded' : 'ok';
}
