import { ACTIONS_ALLOWED, ACTIONS_LABEL } from '@hephaisto/core/action/labels';
import { type Check, clear, unreadable, violated } from '../check.ts';

export const namespaceLabel: Check = ({ namespaceLabels }) => {
  if (!namespaceLabels.known) return unreadable('the labels of the namespace', namespaceLabels.why);
  const value = namespaceLabels.value[ACTIONS_LABEL];
  return value === ACTIONS_ALLOWED
    ? clear(`the namespace carries ${ACTIONS_LABEL}=${ACTIONS_ALLOWED}`)
    : violated(
        'namespace_label_missing',
        `expected the namespace to carry ${ACTIONS_LABEL}=${ACTIONS_ALLOWED}, found ${value === undefined ? 'no such label' : `\`${value}\``}`,
      );
};
