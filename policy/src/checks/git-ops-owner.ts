import { type Check, clear, unreadable, violated } from '../check.ts';
import { ownerText, sourceText, unreadText } from '../gitops-text.ts';

/** A change of what a repository declares lasts until the repository is applied again, so a person decides whether it is worth that. */
export const gitOpsOwner: Check = ({ gitOps }) => {
  if (!gitOps.known) return unreadable('the ownership of the object', gitOps.why);
  const [owner] = gitOps.value;
  if (owner === undefined) return clear('no delivery tool shows itself as writer of the object');
  return violated(
    'gitops_owned',
    `${ownerText(owner)} declares the object, as ${owner.shownBy} shows; a change here may be taken back, so change it at the source${sourceText(owner)}${unreadText(owner)}`,
    { tool: owner.tool, selfHeal: owner.selfHeal, ...owner.source },
  );
};
