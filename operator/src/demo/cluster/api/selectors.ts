import { isRecord, type Json, recordAt, textAt, textsAt } from '../json-at.ts';
import { badRequest } from './status.ts';

export type Labels = Readonly<Record<string, string>>;
export type LabelTest = (labels: Labels) => boolean;

const KEY = /^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** A label selector as it stands in a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Throws BadRequest. */
export function parseLabelSelector(text: string): LabelTest {
  const tests = splitOutsideParentheses(text).map((part) => parseRequirement(part.trim(), text));
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

function parseRequirement(part: string, whole: string): LabelTest {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
  if (set) {
    const key = checked(set[1], KEY, whole);
    const values = (set[3] ?? '').split(',').map((value) => checked(value.trim(), VALUE, whole));
    const includes = (labels: Labels) => labels[key] !== undefined && values.includes(labels[key]);
    return set[2] === 'in' ? includes : (labels) => !includes(labels);
  }
  const pair = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(part);
  if (pair) {
    const [key, value] = [checked(pair[1], KEY, whole), checked(pair[3], VALUE, whole)];
    return pair[2] === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  if (part.startsWith('!')) {
    const key = checked(part.slice(1).trim(), KEY, whole);
    return (labels) => labels[key] === undefined;
  }
  const key = checked(part, KEY, whole);
  return (labels) => labels[key] !== undefined;
}

function checked(part: string | undefined, form: RegExp, whole: string): string {
  if (part === undefined || !form.test(part)) {
    throw badRequest(`unable to parse requirement: found '${part ?? ''}' in label selector "${whole}"`);
  }
  return part;
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(/,(?![^()]*\))/);
}

export function labelsOf(object: { readonly metadata: { readonly labels?: Labels } } | Json): Labels {
  return recordAt(object, 'metadata', 'labels') as Labels;
}
