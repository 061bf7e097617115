import type { PlannerUse } from '@hephaisto/core/report/investigation';
import { dollars, type Look, milliseconds, tokensText } from './model-words.ts';

/** What the look took and what is left of what it may take. A figure that nobody has measured is not shown. */
export function ModelFigures({ look, planner }: { readonly look: Look; readonly planner: PlannerUse | null }) {
  const { model } = look;
  const used = model.budgetUsd === 0 ? 0 : Math.min(1, model.costUsd / model.budgetUsd);
  return (
    <dl className="model-figures">
      <Figure
        name="Reads"
        field="model-reads"
        value={String(look.stepsUsed)}
        more={`${Math.max(0, look.budgetSteps - look.stepsUsed)} left`}
      />
      {model.calls === 0 ? null : (
        <>
          <Figure
            name="Calls"
            field="model-calls"
            value={String(model.calls)}
            {...(model.underWay ? { more: 'one under way' } : {})}
          />
          {model.inputTokens === 0 ? null : (
            <Figure
              name="Tokens"
              field="model-tokens"
              value={tokensText(model.inputTokens + model.outputTokens)}
              more={cachedText(model.cachedTokens, model.inputTokens)}
            />
          )}
          <div data-field="model-cost">
            <dt>Cost</dt>
            <dd>
              <b className="numbers">{dollars(model.costUsd)}</b>{' '}
              <span className="faint numbers" data-field="budget-left">
                {dollars(model.budgetLeftUsd)} left
              </span>
              <span className="meter" aria-hidden="true">
                <i style={{ width: `${Math.round(used * 100)}%` }} data-full={used >= 0.8} />
              </span>
            </dd>
          </div>
        </>
      )}
      {model.latencyMs === null ? null : (
        <Figure
          name="First byte"
          field="model-latency"
          value={milliseconds(model.latencyMs)}
          {...(model.longestCallMs === null ? {} : { more: `longest call ${milliseconds(model.longestCallMs)}` })}
        />
      )}
      {planner === null ? null : (
        <Figure
          name="Planner"
          field="planner-cost"
          value={dollars(planner.costUsd)}
          more={`${tokensText(planner.inputTokens + planner.outputTokens)} tokens`}
        />
      )}
    </dl>
  );
}

function cachedText(cached: number, input: number): string {
  return cached === 0 || input === 0 ? 'none from a cache' : `${Math.round((100 * cached) / input)} % of input cached`;
}

interface FigureProps {
  readonly name: string;
  readonly field: string;
  readonly value: string;
  readonly more?: string;
}

function Figure({ name, field, value, more }: FigureProps) {
  return (
    <div data-field={field}>
      <dt>{name}</dt>
      <dd>
        <b className="numbers">{value}</b> {more === undefined ? null : <span className="faint numbers">{more}</span>}
      </dd>
    </div>
  );
}
