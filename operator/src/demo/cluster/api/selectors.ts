import { isRecord, type Json, recordAt, textAt, textsAt } from '../json-at.ts';
import { badRequest } from './status.ts';

export type Labels = Readonly<Record<string, string>>;
export type LabelTest = (labels: Labels) => boolean;

const KEY = /^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** A label selector as it stands in a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Throws BadRequest. */
export function parseLabelSelector(text: string): LabelTest {
  const tests = splitOutsideParentheses(text).map((part) => parseRequirement(part.trim()));
  return (labels) => tests.every((test) => test(labels));
}

/** A LabelSelector object (matchLabels, matchExpressions); an absent one matches nothing, an empty one everything. */
export function labelSelectorTest(selector: unknown): LabelTest {
  if (!isRecord(selector)) return () => false;
  const wanted = Object.entries(recordAt(selector, 'matchLabels'));
  const expressions = Array.isArray(selector.matchExpressions) ? selector.matchExpressions : [];
  return (labels) =>
    wanted.every(([key, value]) => labels[key] === value) &&
    expressions.every((each) => matchesExpression(labels, each));
}

/** The same object in the query's language, as `/scale` shows it. */
export function labelSelectorText(selector: unknown): string {
  const equal = Object.entries(recordAt(selector, 'matchLabels')).map(([key, value]) => `${key}=${value}`);
  const expressions = Array.isArray(recordAt(selector).matchExpressions) ? recordAt(selector).matchExpressions : [];
  const sets = (expressions as unknown[]).map((each) => {
    const key = textAt(each, 'key') ?? '';
    const operator = textAt(each, 'operator');
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator?.toLowerCase()} (${textsAt(each, 'values').join(',')})`;
  });
  return [...equal.sort(), ...sets].join(',');
}

function matchesExpression(labels: Labels, expression: unknown): boolean {
  const key = textAt(expression, 'key') ?? '';
  const values = textsAt(expression, 'values');
  const value = labels[key];
  switch (textAt(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_PART =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Forms that are no requirement at all, with what the parser of a real API server says of them. */
const MALFORMED: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^(==?)/, (found) => `found '${found}', expected: !, identifier, or 'end of string'`],
  [/^[^=!\s]+\s*(?:==|=(?!=)|!=)[^=]*(==?)/, (found) => `found '${found}', expected: ',' or 'end of string'`],
  [/^\S+\s+(?:in|notin)\s*()$/, (found) => `unable to parse requirement: found '${found}' expected: '('`],
  [
    /^\S+\s+(?:in|notin)\s*\([^)]*()$/,
    (found) => `unable to parse requirement: found '${found}', expected: ',' or ')'`,
  ],
  [
    /^[^\s=!]+\s+((?!in\b|notin\b)[^\s=!]+)/,
    (found) => `unable to parse requirement: found '${found}', expected: in, notin, =, ==, !=, gt, lt`,
  ],
];

function parseRequirement(part: string): LabelTest {
  for (const [form, message] of MALFORMED) {
    const found = form.exec(part);
    if (found) throw badRequest(message(found[1] ?? ''));
  }
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
  if (set) {
    const key = checkedKey(set[1] ?? '');
    const values = (set[3] ?? '').split(',').map((value, index) => checkedValue(key, value.trim(), index));
    const includes = (labels: Labels) => labels[key] !== undefined && values.includes(labels[key]);
    return set[2] === 'in' ? includes : (labels) => !includes(labels);
  }
  const pair = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(part);
  if (pair) {
    const key = checkedKey(pair[1] ?? '');
    const value = checkedValue(key, pair[3] ?? '', 0);
    return pair[2] === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  if (part.startsWith('!')) {
    const key = checkedKey(part.slice(1).trim());
    return (labels) => labels[key] === undefined;
  }
  const key = checkedKey(part);
  return (labels) => labels[key] !== undefined;
}

function checkedKey(key: string): string {
  if (KEY.test(key)) return key;
  throw badRequest(`unable to parse requirement: <nil>: Invalid value: "${key}": ${NAME_PART}`);
}

function checkedValue(key: string, value: string, index: number): string {
  if (VALUE.test(value)) return value;
  throw badRequest(`unable to parse requirement: values[${index}][${key}]: Invalid value: "${value}": ${VALUE_PART}`);
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(/,(?![^()]*\))/);
}

export function labelsOf(object: { readonly metadata: { readonly labels?: Labels } } | Json): Labels {
  return recordAt(object, 'metadata', 'labels') as Labels;
}
