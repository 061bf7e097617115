import { type Check, clear, unreadable, violated } from '../check.ts';
import { ownerText, sourceText } from '../gitops-text.ts';

/** Acting against a controller that takes each change back repairs nothing and hides what was tried. */
export const gitOpsSelfHeal: Check = ({ gitOps }) => {
  if (!gitOps.known) return unreadable('the ownership of the object', gitOps.why);
  const owner = gitOps.value.find(({ selfHeal }) => selfHeal === 'on');
  if (owner === undefined) return clear('no delivery tool is known to take a change back by itself');
  return violated(
    'gitops_self_heal',
    `${ownerText(owner)} takes each change of the object back, since its self-heal is on; change it at the source${sourceText(owner)}`,
    { tool: owner.tool, selfHeal: owner.selfHeal, ...owner.source },
  );
};
