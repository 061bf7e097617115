-- A signal that the database refuses to settle is set aside, with why, so that those behind it are settled.
ALTER TABLE signals DROP CONSTRAINT signals_disposition_check;
ALTER TABLE signals ADD CONSTRAINT signals_disposition_check CHECK (disposition IN ('pending', 'opened', 'collapsed', 'joined', 'absorbed',
  'suppressed', 'storm', 'self', 'late', 'benign', 'poison'));
ALTER TABLE signals ADD CONSTRAINT signals_poison_says_why CHECK (disposition <> 'poison' OR disposition_reason IS NOT NULL);
