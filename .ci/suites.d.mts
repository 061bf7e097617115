export declare const REAL_MINUTES: Readonly<
  Record<
    | 'contract'
    | 'stories'
    | 'replicas'
    | 'fencing'
    | 'races'
    | 'lost-answers'
    | 'crashes'
    | 'database'
    | 'load'
    | 'surroundings',
    number
  >
>;
