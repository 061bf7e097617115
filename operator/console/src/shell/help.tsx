import { KEY_COMMANDS, type KeyCommand } from '../keys/keymap.ts';
import { Sheet } from '../parts/sheet.tsx';
import { changeSettings, useSettings } from './settings.ts';

const PLACES = ['Anywhere', 'Go to', 'Lists', 'Incident'] as const;

export function Help({ onClose }: { readonly onClose: () => void }) {
  const { keys } = useSettings();
  const commands = Object.keys(KEY_COMMANDS) as KeyCommand[];
  return (
    <Sheet title="Keyboard" onClose={onClose} field="help">
      <div className="help-columns">
        {PLACES.map((place) => (
          <section key={place}>
            <h3 className="label">{place}</h3>
            <dl className="pairs">
              {commands
                .filter((command) => KEY_COMMANDS[command].where === place)
                .map((command) => (
                  <KeyRow key={command} keys={KEY_COMMANDS[command].keys} says={KEY_COMMANDS[command].says} />
                ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="soft">
        No single key approves, denies or stops. In the review, <kbd>Ctrl ⏎</kbd> approves once everything asked for is
        there. <kbd>Tab</kbd> reaches everything, <kbd>Enter</kbd> opens it.
      </p>
      <label className="check">
        <input
          type="checkbox"
          checked={keys === 'on'}
          onChange={(event) => changeSettings({ keys: event.target.checked ? 'on' : 'off' })}
        />
        Single keys as shortcuts in this browser
      </label>
    </Sheet>
  );
}

function KeyRow({ keys, says }: { readonly keys: string; readonly says: string }) {
  return (
    <>
      <dt>
        {keys.split(/[ +]/).map((key) => (
          <kbd key={key}>{key === 'Escape' ? 'Esc' : key}</kbd>
        ))}
      </dt>
      <dd>{says}</dd>
    </>
  );
}
