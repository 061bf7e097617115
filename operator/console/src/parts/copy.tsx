import { Icon } from './icons.tsx';
import { say } from './toasts.tsx';

/** Copies text, also where the clipboard's own interface is refused (plain http). */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}`);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    say(done ? `Copied ${what}` : `Could not copy; select it instead`);
  }
}

export function CopyButton({
  text,
  what,
  label,
}: {
  readonly text: string;
  readonly what: string;
  readonly label: string;
}) {
  return (
    <button type="button" className="button" onClick={() => void copyText(text, what)}>
      <Icon name="copy" />
      {label}
    </button>
  );
}
