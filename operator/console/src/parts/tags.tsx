import { Icon } from './icons.tsx';
import { INCIDENT_LOOKS, type Look, lookOf, SEVERITY_LOOKS } from './words.ts';

/** Glyph, word and colour of a state. `raw` is the API's own word, for whoever checks the page from outside. */
export function Tag({ look, raw, field }: { readonly look: Look; readonly raw: string; readonly field: string }) {
  return (
    <span className="tag" data-field={field} data-state={raw} data-tone={look.tone}>
      <Icon name={look.icon} />
      {look.word}
    </span>
  );
}

export function SeverityTag({ severity }: { readonly severity: string }) {
  return <Tag look={lookOf(SEVERITY_LOOKS, severity)} raw={severity} field="severity" />;
}

export function StateTag({ state }: { readonly state: string }) {
  return <Tag look={lookOf(INCIDENT_LOOKS, state)} raw={state} field="state" />;
}
