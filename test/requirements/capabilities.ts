/** The parts in which the product grows; a requirement falls due with its part. */
export const CAPABILITIES = [
  'spine',
  'ingest',
  'acting',
  'diagnosis',
  'turns',
  'console',
  'notify',
  'conversations',
  'mcp',
  'codefix',
  'ship',
  'harden',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Parts whose requirements must be proven now. */
export const DUE: readonly Capability[] = ['spine'];

export interface Block {
  readonly capability: Capability;
  readonly source: string;
  /** Numbers and ranges, e.g. `2 5-7`. */
  readonly numbers: string;
}

/** Which part owns which requirement. Each id stands in exactly one block. */
export const BLOCKS: readonly Block[] = [
  {
    capability: 'spine',
    source: 'H3',
    numbers: '2-3 5-7 9 12-13 19 22-23 26 30-32 45-47 49 52-55 58-59 67-69 72 151-152 154 197-198',
  },
  { capability: 'spine', source: 'H4', numbers: '20 116' },
  { capability: 'ingest', source: 'H3', numbers: '1 20 24-25 33-36 149 200' },
  { capability: 'acting', source: 'H3', numbers: '14-16 29 50-51 56-57 60-66 70-71 75 79-81' },
  { capability: 'acting', source: 'H4', numbers: '89' },
  { capability: 'diagnosis', source: 'H3', numbers: '10 37-44 48 78 201-203' },
  { capability: 'diagnosis', source: 'H1', numbers: '38-42 45' },
  { capability: 'turns', source: 'H3', numbers: '11 17 21 143' },
  {
    capability: 'turns',
    source: 'H0',
    numbers: '5 8 18-26 28 30 32 35 38-48 50-60 62-63 66-70 72-77 102-103 105-106 111 122 143 156-168 177 180-183',
  },
  {
    capability: 'turns',
    source: 'H4',
    numbers: '1-3 14-17 19 21 23-24 26-29 31-33 35-45 47-69 71-88 90-91 93-100 103 106 108 112-115 117-118 121',
  },
  { capability: 'turns', source: 'H1', numbers: '1-37 43-44 46-62 68 73-75 80-81 83 85' },
  { capability: 'console', source: 'H3', numbers: '27 150 199' },
  { capability: 'console', source: 'H0', numbers: '133 137-139 142' },
  { capability: 'notify', source: 'H3', numbers: '4 153 155-184' },
  {
    capability: 'conversations',
    source: 'H0',
    numbers:
      '3-4 6-7 9-17 27 29 31 33 36-37 49 61 64-65 71 78-101 109-110 113 116-117 123-128 130-132 134-136 140-141 144-155 169-176 178',
  },
  { capability: 'conversations', source: 'H4', numbers: '5-13 18 22 25 30 46 101-102 104-105 107 109-111 119-120' },
  { capability: 'conversations', source: 'H1', numbers: '63-65 67 69-72 76-79 82' },
  { capability: 'mcp', source: 'H3', numbers: '28 119-137 139 142 185-188 190-195' },
  { capability: 'mcp', source: 'H0', numbers: '104 107-108' },
  { capability: 'mcp', source: 'H4', numbers: '4 34 70' },
  { capability: 'mcp', source: 'H1', numbers: '66' },
  { capability: 'codefix', source: 'H3', numbers: '8 18 73-74 76-77 82-118 138 140-141 189' },
  { capability: 'codefix', source: 'H0', numbers: '2 112 114-115 118-120 129 179' },
  { capability: 'codefix', source: 'H4', numbers: '92' },
  { capability: 'codefix', source: 'H2', numbers: '1-58' },
  { capability: 'ship', source: 'H3', numbers: '144-148 196' },
  { capability: 'ship', source: 'H0', numbers: '1 34 121' },
  { capability: 'ship', source: 'H1', numbers: '84' },
];
