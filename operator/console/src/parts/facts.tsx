import { plainName, valueText } from './inert-text.ts';

/** Data of a decision whose fields are not known beforehand: named, in one line each, nothing left out. */
export function FactPairs({ facts }: { readonly facts: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  if (entries.length === 0) return <p className="faint">nothing recorded</p>;
  return (
    <dl className="pairs">
      {entries.map(([name, value]) => (
        <Pair key={name} name={plainName(name)} value={valueText(value)} />
      ))}
    </dl>
  );
}

export function Pair({ name, value }: { readonly name: string; readonly value: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** The same in one line, for tables. */
export function factsLine(facts: Readonly<Record<string, unknown>> | null): string {
  if (facts === null) return '';
  return Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${plainName(name)} ${valueText(value)}`)
    .join(' · ');
}
