import { createHash } from 'node:crypto';

const USES_BEFORE_PREPARING = 5;
/** Statements prepared per connection at most; texts beyond that are sent whole, so that generated texts cannot fill the server. */
const MAX_NAMES = 200;

/** Decides which statements the server keeps prepared: those whose exact text comes again and again. */
export class PreparedNames {
  private readonly uses = new Map<string, number>();
  private readonly names = new Map<string, string>();
  private readonly enabled: boolean;
  private generation = 0;

  constructor(enabled: boolean) {
    this.enabled = enabled;
  }

  nameOf(text: string): string | undefined {
    if (!this.enabled) return undefined;
    const known = this.names.get(text);
    if (known !== undefined) return known;
    const used = (this.uses.get(text) ?? 0) + 1;
    if (this.names.size >= MAX_NAMES) return undefined;
    if (used < USES_BEFORE_PREPARING) {
      if (this.uses.size < MAX_NAMES * 10) this.uses.set(text, used);
      return undefined;
    }
    this.uses.delete(text);
    const name = `h${this.generation}_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
    this.names.set(text, name);
    return name;
  }

  /** Forgets every name, after another process changed the schema under a prepared plan; connections keep the old ones unused. */
  forget(): void {
    this.generation += 1;
    this.names.clear();
    this.uses.clear();
  }
}
