import { type Check, clear, violated } from '../check.ts';

export const kindNotEnabled: Check = ({ rule, request }) =>
  rule?.kinds.includes(request.type) === true
    ? clear(`${request.type} is enabled here`)
    : violated('kind_not_enabled', `${request.type} is not enabled for this namespace`);
