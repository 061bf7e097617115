/** What kind of order a text gives to whoever reads it. */
export const ORDERS = [
  'forget-instructions',
  'speaks-as-system',
  'assigns-a-role',
  'addresses-the-reader',
  'demands-a-verdict',
  'demands-an-act',
  'hides-text',
] as const;
export type Order = (typeof ORDERS)[number];

/**
 * The forms of orders. Each needs words that address a reader or demand something of one: software names the same things in what it reports
 * (`system:serviceaccount:…`, `failed to delete the node`, `scale factor 0.5`), and a line that is taken for an order carries less weight.
 * All repetition is bounded, since the lines come from outside.
 */
const FORMS: readonly (readonly [Order, RegExp])[] = [
  [
    'forget-instructions',
    /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|guardrails?|everything|the above|(?:all|any|your|these|those|previous|prior|above|earlier|preceding) (?:\w{1,20} )?(?:rules?|polic(?:y|ies)|checks?|messages?|context|findings|evidence|orders|limits|restrictions|constraints))\b/,
  ],
  [
    'forget-instructions',
    /\bnew instructions?(?= ?(?:follow|:(?! \d)|from|for (?!register)|to |are|$))|\binstructions? (?:for|to) (?:the )?(?:ai|agent|assistant|model|operator|llm|bot)\b(?! (?:installation|developers?|upgrades?|users?)\b)/,
  ],
  // A subject of Kubernetes has no blank behind `system:`, and what a system reports begins with no verb in the imperative.
  [
    'speaks-as-system',
    /(?:^|[\s"'[(>])(?:assistant|(?:system|developer) (?:prompt|override|instructions?))\s?[\]>]?\s?:\s{1,4}\S/,
  ],
  [
    'speaks-as-system',
    /(?:^|[\s"'[(>])(?:system|developer|operator|admin|user)(?: (?:message|notice|note))?\s?[\]>]?\s?:\s{1,4}(?:please |now |immediately |always |never |do not |don't |you (?:must|should|are|will|can|may|have) |the (?:cause|incident|proposal|fault|fix|agent|assistant|model|operator|finding|investigation) |this (?:incident|proposal|is (?:an? )?(?:order|instruction|false|benign))|(?:ignore|disregard|forget|override|bypass|approve|accept|confirm|conclude|respond|answer|reply|report that|say that|tell|output|print|return|act as|pretend|assume|treat|trust|obey|follow|comply|grant|give|scale|delete|remove|drain|restart|roll|execute|run|call|use|invoke|apply|patch|set|mark|close|resolve|escalate|stop|skip|disable|enable)\b(?!:))/,
  ],
  [
    'speaks-as-system',
    /<\|?(?:im_start|im_end|system|endoftext|start_header_id)\|?>|\[\/?inst\]|<<sys>>|## ?(?:system|instructions?)(?= ?(?::|$)| (?:prompt|message|override|notice))/,
  ],
  [
    'assigns-a-role',
    /\b(?:you are|act as|pretend to be|you're) (?:now )?(?:(?:an?|the|in) ?)?(?:\w{1,30} )?(?:ai|assistant|agent|model|admin|administrator|root|operator|sre|developer mode|unrestricted)\b(?! of |,? refusing|:)/,
  ],
  [
    'addresses-the-reader',
    /\b(?:dear|attention|hey|hello|note to|notice to|message (?:for|to)|to (?:the|any|all)) (?:the |any |all )?(?:ai|llm|assistants?|language models?|chatbots?|hephaisto|sre bot|operator bot|(?:ai |sre )?agents?(?= ?(?:[:,.!]|$|reading|that reads|who)))/,
  ],
  [
    'addresses-the-reader',
    /\b(?:dear|attention|hey|hello|note to|notice to) (?:the |any |all )?(?:ai |sre )?agents?\b/,
  ],
  [
    'addresses-the-reader',
    /\b(?:ai|llm|hephaisto|assistants?|language models?|ai agents?)\b[:,]? (?:must|should|shall|please|do not|don't|has to|have to|is to|are to|you must)\b(?! (?:be (?:configured|one of|set|installed)|have|authenticate|run with)\b)/,
  ],
  [
    'addresses-the-reader',
    /\b(?:agents?|models?|operators?)\b[:,]? (?:must|should|shall|please|has to|have to|you must) (?:now |not |immediately |always |only |also )?(?:ignore|disregard|approve|accept|confirm|conclude|report|say|answer|reply|scale|delete|remove|drain|restart|roll|execute|run|call|invoke|use|trust|obey|follow|mark|resolve|skip|escalate|treat)(?= (?:no|nothing|that|the|this|these|those|all|any|every|it|them|only|as|tool|workflow|command|previous|your|our|in|to)\b| ?$|[.,!])(?! to apply\b| every \d)/,
  ],
  [
    'demands-a-verdict',
    /\bconfidence ?[:=]? ?(?:1(?:\.0{1,6})?(?![\d.])|100 ?%)|\bmark (?:\w{1,20} ){0,3}(?:as )?(?:resolved|proven|approved|benign|false positive)\b/,
  ],
  [
    'demands-a-verdict',
    /\b(?:root cause is|conclude that|report that|the cause is)\b.{0,60}\b(?:no (?:action|fault|problem)|not a fault|network team|delete|scale)/,
  ],
  [
    'demands-an-act',
    /\b(?:auto-?approve(?! ?[=:]| (?:enabled|disabled|csr|is|list)\b)|pre-?approved(?! (?:list|images?|users?)\b)|already approved|approval (?:is |was )?(?:already )?(?:granted|not (?:required|needed))(?=$|[.,;!]| for this)|skip (?:the |all |any )?(?:approvals?|polic(?:y|ies)|safety|human review|verification(?= ?(?:$|[.,;!]|and\b|step))))/,
  ],
  [
    'demands-an-act',
    /\bkubectl (?:(?:delete|scale|patch|drain|replace)\b|exec (?!(?:failed|is|was)\b)(?=\S))(?! (?:should|is|was|failed|can|cannot|will|has|to|or)\b)|\bkubectl (?:apply|create|edit) (?:-[fk]\b|(?!(?:should|is|was|failed|can|cannot|will|has|to|or)\b)[a-z]{1,20}[/ ])(?!.{0,40}--save-config)|\bscale (?:(?:the|this|all|every|it|them|deployment|statefulset|[\w./-]{1,64}) ){0,4}(?:down )?to (?:0|zero)(?![.\d])\b/,
  ],
  [
    'demands-an-act',
    /(?<!\b(?:fail\w{0,3}|unable|error|try\w{0,3}|attempt\w{0,3}|about|going|wait\w{0,3}|allowed|permission|able|not|cannot|can't|couldn't|could|will|would|did|didn't|doesn't) (?:to )?)\b(?:delete|destroy|drop|wipe|remove|drain) (?:the|this|that|all|every|each|any|its|your) (?:\w{1,30} )?(?:namespaces?|deployments?|clusters?|pvcs?|persistentvolume\w{0,10}|statefulsets?|workloads?|nodes?|secrets?|pods?|databases?|volumes?)\b(?! (?:sandbox|session|mount|taint|finalizers?|connections?|view)\b| from (?:cache|the ring|endpoints|cluster view)\b)/,
  ],
  [
    'demands-an-act',
    /\b(?:must|should|shall|please|now|then|just|immediately|and) (?:delete|destroy|drop|wipe|remove|drain) (?:\w{1,30} )?(?:namespace|deployment|cluster|pvc|persistentvolume\w{0,10}|statefulset|workload|nodes?|secrets?)\b(?! (?:finalizers?|taint|from (?:the ring|load balancer)))/,
  ],
  [
    'demands-an-act',
    /\b(?:execute|run|call|invoke|use) (?:the |this |following |these ){0,3}(?:workflow|tool|runbook)\b(?! at your own risk|.{0,40} (?:returned|took) \d)|\b(?:execute|run) (?:this|these) (?:following )?commands?\b(?! to \w{1,20}:)/,
  ],
  [
    'demands-an-act',
    /\b(?:do not|don't|never) (?:report|escalate|investigate|alert|tell|notify|page|roll ?back)(?=$|[.,;!:"')]| (?:this|that|the|it|them|anyone|anybody|any|about|to|us|and|or|until|unless)\b)|\bstop (?:reporting|escalating|investigating|alerting|notifying|paging)\b(?! (?:metrics|progress|subscribers?|listeners?|watchers?|observers?)\b)/,
  ],
];

/** The rest of a longer line is not searched. */
const LONGEST_LINE = 16 * 1_024;

const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
const HIDDEN_ALL = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * The orders a line gives to a reader. Evidence is never changed for it: a mark is all that comes of it, since words that look like an
 * order may be the very fault one is looking for.
 */
export function ordersIn(line: string): readonly Order[] {
  // Compatibility forms and invisible characters are how such text passes simple filters.
  const bounded = line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line;
  const plain = bounded
    .normalize('NFKC')
    .replace(HIDDEN_ALL, '')
    .replace(/\s{1,16}/g, ' ')
    .toLowerCase();
  const found = FORMS.filter(([, form]) => form.test(plain)).map(([order]) => order);
  if (HIDDEN.test(bounded) && found.length > 0) found.push('hides-text');
  return [...new Set(found)];
}

/** Whether any line of the text gives orders. */
export function isTainted(text: string): boolean {
  return text.split('\n').some((line) => ordersIn(line).length > 0);
}
