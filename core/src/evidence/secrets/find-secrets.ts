import type { Steps } from '../../steps.ts';
import { findAddressSecrets } from './addresses.ts';
import { findCommandSecrets } from './command-flags.ts';
import { findNamedSecrets } from './named-values.ts';
import { findFilePasswords } from './password-files.ts';
import { findPrivateKeys } from './private-keys.ts';
import { findPuttyKeys } from './putty-keys.ts';
import { findHeaderSecrets } from './request-headers.ts';
import { type Detector, joinSpans, type Span } from './span.ts';
import { findStatedSecrets } from './stated-values.ts';
import { findStatementSecrets } from './statements.ts';
import { findTokenShapes } from './token-shapes.ts';

const DETECTORS: readonly Detector[] = [
  findPrivateKeys,
  findPuttyKeys,
  findTokenShapes,
  findAddressSecrets,
  findHeaderSecrets,
  findCommandSecrets,
  findFilePasswords,
  findStatementSecrets,
  findStatedSecrets,
  findNamedSecrets,
];

/** Where the secrets of a text are, in its order. Work grows linearly with the text. */
export function* findSecrets(text: string): Steps<readonly Span[]> {
  const spans: Span[] = [];
  const report = (from: number, to: number): void => {
    if (to > from) spans.push({ from, to });
  };
  for (const detect of DETECTORS) yield* detect(text, report);
  return spans.length === 0 ? spans : joinSpans(spans);
}
