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

const FORMS: readonly (readonly [Order, RegExp])[] = [
  [
    'forget-instructions',
    /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|guardrail|polic(?:y|ies)|polic\w*|previous|above|everything)/,
  ],
  [
    'forget-instructions',
    /\bnew instructions?\b|\binstructions? (?:for|to) (?:the )?(?:ai|agent|assistant|model|operator|llm|bot)\b/,
  ],
  [
    'speaks-as-system',
    /(?:^|[\s"'[(>])(?:system|assistant|developer)(?: (?:prompt|message|override|notice|instruction))?\s*(?:\]|>)?:\s*\S/,
  ],
  [
    'speaks-as-system',
    /<\|?(?:im_start|im_end|system|endoftext|start_header_id)\|?>|\[\/?inst\]|<<sys>>|#{2,} ?(?:system|instruction)/,
  ],
  [
    'assigns-a-role',
    /\b(?:you are|act as|pretend to be|you're) (?:now )?(?:an?|the|in)?\s*(?:\w+ )?(?:ai|assistant|agent|model|admin\w*|root|operator|sre|developer mode|unrestricted)\b/,
  ],
  [
    'addresses-the-reader',
    /\b(?:dear|attention|hey|hello|note to|notice to|message (?:for|to)|to (?:the|any|all)) (?:the |any |all )?(?:ai|llm|agents?|assistants?|language models?|chatbots?|hephaisto|sre bot|operator bot)\b/,
  ],
  [
    'addresses-the-reader',
    /\b(?:ai|llm|agents?|assistants?|hephaisto|models?)\b[:,]? (?:must|should|shall|please|do not|don't|has to|have to|is to|are to|you must)\b/,
  ],
  [
    'demands-a-verdict',
    /\bconfidence\s*[:=]?\s*(?:1(?:\.0+)?|100 ?%)|\bmark (?:\w+ ){0,3}(?:as )?(?:resolved|proven|approved|benign|false positive)\b/,
  ],
  [
    'demands-a-verdict',
    /\b(?:root cause is|conclude that|report that|the cause is)\b.{0,60}\b(?:no (?:action|fault|problem)|not a fault|network team|delete|scale)/,
  ],
  [
    'demands-an-act',
    /\b(?:auto-?approve|pre-?approved|already approved|approval (?:is )?(?:granted|not (?:required|needed))|skip (?:the )?(?:approval|verification|policy))\b/,
  ],
  [
    'demands-an-act',
    /\bkubectl (?:delete|scale|patch|apply|edit|drain|exec|create|replace)\b|\bscale (?:\S+ ){0,4}(?:down )?to (?:0|zero)\b/,
  ],
  [
    'demands-an-act',
    /\b(?:delete|destroy|drop|wipe|remove|drain) (?:the |this |all |every )?(?:\w+ )?(?:namespace|deployment|cluster|pvc|persistentvolume\w*|statefulset|workload|nodes?|secrets?)\b/,
  ],
  [
    'demands-an-act',
    /\b(?:execute|run|call|invoke|use) (?:the )?(?:following|workflow|tool|command|function|this command|runbook)\b/,
  ],
  [
    'demands-an-act',
    /\b(?:do not|don't|never|stop) (?:report|escalate|investigat\w+|alert\w*|tell|notify\w*|page|roll ?back)\b/,
  ],
];

const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, 'gu');

/**
 * The orders a line gives to a reader. Evidence is never changed for it: a mark is all that comes of it, since words that look like an
 * order may be the very fault one is looking for.
 */
export function ordersIn(line: string): readonly Order[] {
  // Compatibility forms and invisible characters are how such text passes simple filters.
  const plain = line.normalize('NFKC').replace(HIDDEN_ALL, '').toLowerCase();
  const found = FORMS.filter(([, form]) => form.test(plain)).map(([order]) => order);
  if (HIDDEN.test(line) && found.length > 0) found.push('hides-text');
  return [...new Set(found)];
}

/** Whether any line of the text gives orders. */
export function isTainted(text: string): boolean {
  return text.split('\n').some((line) => ordersIn(line.length > 4_096 ? line.slice(0, 4_096) : line).length > 0);
}
