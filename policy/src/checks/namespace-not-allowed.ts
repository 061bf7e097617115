import { type Check, clear, violated } from '../check.ts';

export const namespaceNotAllowed: Check = ({ rule, request }) =>
  rule === undefined
    ? violated('namespace_not_allowed', `no rule of the policy names namespace \`${request.target.namespace}\``)
    : clear(`the policy names it by \`${rule.match}\``, { rule: rule.match });
