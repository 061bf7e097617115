import { invalid, invalidObject } from '../admission/field-error.ts';
import { type ApiError, badRequest } from '../api/status.ts';
import { type Json, numberAt, recordAt, textAt, textsAt } from '../json-at.ts';
import { kubeTime } from '../object-meta.ts';
import type { ObjectStore } from '../store.ts';
import type { Identity } from './identity.ts';
import { type Ask, authorize, heldRules } from './rbac.ts';
import { ISSUER, type Tokens } from './tokens.ts';

export interface ReviewContext {
  readonly store: ObjectStore;
  readonly tokens: Tokens;
  readonly who: Identity;
  /** From the path, for the review that has one. */
  readonly namespace: string;
}

type Review = (body: Json, context: ReviewContext) => Json;

/** The answers to the questions that the API takes as objects, by kind: each is the question with its status filled in. */
export const REVIEW_ANSWERS: Readonly<Record<string, Review>> = {
  SelfSubjectAccessReview: (body, { store, who }) => ({ ...body, status: accessStatus(store, who, body) }),
  SubjectAccessReview: (body, { store }) => ({ ...body, status: accessStatus(store, subjectOf(body), body) }),
  LocalSubjectAccessReview: (body, { store }) => ({ ...body, status: accessStatus(store, subjectOf(body), body) }),
  SelfSubjectRulesReview: (body, { store, who }) => ({ ...body, spec: {}, status: rulesStatus(store, who, body) }),
  SelfSubjectReview: (body, { who }) => ({ ...body, status: { userInfo: who } }),
  TokenReview: (body, { tokens }) => ({ ...body, status: tokenStatus(tokens, body) }),
};

function accessStatus(store: ObjectStore, who: Identity, body: Json): Json {
  const verdict = authorize(store, who, askOf(body));
  return { allowed: verdict.kind === 'allowed', ...(verdict.reason ? { reason: verdict.reason } : {}) };
}

function askOf(body: Json): Ask {
  const path = recordAt(body, 'spec', 'nonResourceAttributes');
  const resource = recordAt(body, 'spec', 'resourceAttributes');
  const hasPath = Object.keys(path).length > 0;
  if (hasPath === Object.keys(resource).length > 0) throw needsOneKind();
  if (hasPath) return { kind: 'path', verb: textAt(path, 'verb') ?? '', path: textAt(path, 'path') ?? '' };
  const field = (name: string) => textAt(resource, name) ?? '';
  return {
    kind: 'resource',
    verb: field('verb'),
    group: field('group'),
    resource: field('resource'),
    subresource: field('subresource'),
    namespace: field('namespace'),
    name: field('name'),
  };
}

function needsOneKind(): ApiError {
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return invalidObject('', 'authorization.k8s.io', '', [invalid('spec.resourceAttributes', null, why)]);
}

function subjectOf(body: Json): Identity {
  return { username: textAt(body, 'spec', 'user') ?? '', groups: textsAt(body, 'spec', 'groups') };
}

function rulesStatus(store: ObjectStore, who: Identity, body: Json): Json {
  const namespace = textAt(body, 'spec', 'namespace') ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = [...heldRules(store, who, namespace)].map(({ rule }) => recordAt(rule));
  return {
    resourceRules: rules.filter((rule) => rule.resources !== undefined).map(resourcePart),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs !== undefined)
      .map((rule) => ({ verbs: rule.verbs, nonResourceURLs: rule.nonResourceURLs })),
    incomplete: false,
  };
}

function resourcePart(rule: Json): Json {
  const { verbs, apiGroups, resources, resourceNames } = rule;
  return { verbs, apiGroups, resources, ...(resourceNames ? { resourceNames } : {}) };
}

function tokenStatus(tokens: Tokens, body: Json): Json {
  const who = tokens.whoHolds(textAt(body, 'spec', 'token') ?? '');
  // Not `authenticated: false`: what is false is left out here.
  if (!who) return { user: {}, error: 'invalid bearer token' };
  const asked = textsAt(body, 'spec', 'audiences');
  const audiences = asked.length === 0 ? [ISSUER] : asked.filter((each) => each === ISSUER);
  if (audiences.length === 0) return { user: {}, error: 'token audiences are not among those asked for' };
  return { authenticated: true, user: who, audiences };
}

const HOUR_SECONDS = 3600;
const LEAST_SECONDS = 600;

/** Answers a TokenRequest for an existing account. */
export function issueAccountToken(tokens: Tokens, body: Json, account: { namespace: string; name: string }): Json {
  const asked = numberAt(body, 'spec', 'expirationSeconds') ?? HOUR_SECONDS;
  if (asked < LEAST_SECONDS) {
    const why = 'may not specify a duration less than 10 minutes';
    throw invalidObject('TokenRequest', 'authentication.k8s.io', '', [invalid('spec.expirationSeconds', asked, why)]);
  }
  const { token, expiresAt } = tokens.issue({ serviceAccount: account }, asked);
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: account.name, namespace: account.namespace },
    spec: { audiences: [ISSUER], boundObjectRef: null, ...recordAt(body, 'spec'), expirationSeconds: asked },
    status: { token, expirationTimestamp: kubeTime(expiresAt) },
  };
}
