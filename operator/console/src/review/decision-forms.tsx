import type { Proposal } from '@hephaisto/core/report/action';
import type { Session } from '@hephaisto/core/report/installation';
import { useState } from 'react';
import { type Right, rolesText } from '../api/rights.ts';
import { Icon } from '../parts/icons.tsx';
import { DENY_REASONS, type Friction, type Readiness } from './friction.ts';

interface ApproveProps {
  readonly proposal: Proposal;
  readonly friction: Friction;
  readonly readiness: Readiness;
  readonly session: Session | undefined;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly onApprove: () => void;
  readonly onDeny: () => void;
}

/** What approving asks, by risk; the button says what is missing. */
export function ApproveForm(props: ApproveProps) {
  const { proposal, friction, readiness, session } = props;
  const approvals = proposal.votes.filter((vote) => vote.decision === 'approve').length;
  return (
    <div className="decision">
      <p className="soft small">
        Approvals {approvals} of {proposal.quorum}
        {session === undefined ? '' : ` · you: ${session.name}, ${rolesText(session)}`} · proposed by{' '}
        {proposal.proposedBy.name} · single use
      </p>
      <div className="decision-fields">
        <div className="field">
          <label htmlFor="approve-reason">Reason {friction.reasonRequired ? '(required)' : '(optional)'}</label>
          <input
            id="approve-reason"
            className="input"
            value={props.reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => props.onReason(event.target.value)}
          />
        </div>
        {friction.typedName === undefined ? null : (
          <div className="field">
            <label htmlFor="approve-name">
              Type <b>{friction.typedName}</b>
            </label>
            <input
              id="approve-name"
              className="input"
              value={props.typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => props.onTyped(event.target.value)}
            />
          </div>
        )}
      </div>
      <div className="decision-buttons">
        <button type="button" className="button" data-kind="quiet" onClick={props.onDeny}>
          Deny instead
        </button>
        <span className="push" />
        <span
          className="why-not soft"
          id="approve-why"
          role="status"
          data-field="approve-state"
          data-state={readiness.kind === 'ready' ? 'ready' : readiness.code}
        >
          {readiness.kind === 'ready' ? '' : readiness.why}
        </span>
        <button
          type="button"
          className="button"
          data-kind="main"
          disabled={readiness.kind !== 'ready'}
          aria-describedby="approve-why"
          onClick={props.onApprove}
        >
          <Icon name="check" />
          Approve and run <kbd>Ctrl ⏎</kbd>
        </button>
      </div>
    </div>
  );
}

interface DenyProps {
  readonly right: Right;
  readonly open: boolean;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly onDeny: (reason: string) => void;
}

/** Denying takes a reason: a chip, words, or both. */
export function DenyForm({ right, open, busy, onBack, onDeny }: DenyProps) {
  const [chip, setChip] = useState<string | undefined>();
  const [words, setWords] = useState('');
  const reason = [chip, words.trim()].filter((part) => part !== undefined && part !== '').join(': ');
  const why = !open
    ? 'it is no longer open'
    : right.kind === 'may-not'
      ? right.why
      : reason === ''
        ? 'say why'
        : undefined;
  return (
    <div className="decision">
      <fieldset className="chips" aria-label="Why not">
        {DENY_REASONS.map((name) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={chip === name}
            onClick={() => setChip(chip === name ? undefined : name)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <div className="field">
        <label htmlFor="deny-words">Reason</label>
        <input
          id="deny-words"
          className="input"
          value={words}
          maxLength={500}
          autoComplete="off"
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      <div className="decision-buttons">
        <button
          type="button"
          className="button"
          data-kind="stop"
          disabled={why !== undefined || busy}
          aria-describedby="deny-why"
          onClick={() => onDeny(reason)}
        >
          <Icon name="cross" />
          Deny it
        </button>
        <span className="why-not soft" id="deny-why" role="status" data-field="deny-state">
          {why ?? ''}
        </span>
        <span className="push" />
        <button type="button" className="button" data-kind="quiet" onClick={onBack}>
          Back to approving
        </button>
      </div>
    </div>
  );
}
