const TONE_HZ = 660;
const TONE_S = 0.35;
/** A browser says within this whether a page may make a sound; it may once somebody has pressed something on it. */
const MAY_SOUND_MS = 500;
const NAME = 'hephaisto-tone';
/** Tabs hear of the same thing within this; so long only one of them sounds. Hidden ones are a little late. */
const ONE_TAB_MS = 4_000;

/** One tone, in one tab of this browser; none where no tab may make a sound. */
export async function ring(): Promise<void> {
  if (!('AudioContext' in globalThis)) return;
  const audio = new AudioContext();
  try {
    await Promise.race([audio.resume(), pause(MAY_SOUND_MS)]);
    // Asked for only by a tab that can sound: one that was reloaded and not touched since must not silence the others.
    if (audio.state === 'running' && (await isFirstTab())) await sound(audio);
  } finally {
    await audio.close();
  }
}

async function sound(audio: AudioContext): Promise<void> {
  const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = TONE_HZ;
  loudness.gain.setValueAtTime(0.15, audio.currentTime);
  loudness.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + TONE_S);
  tone.connect(loudness).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + TONE_S);
  await pause(TONE_S * 1_000 + 100);
}

/** Whether no other tab sounds for this; true also where a browser cannot tell. */
function isFirstTab(): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks
      .request(NAME, { ifAvailable: true }, async (lock) => {
        resolve(lock !== null);
        if (lock !== null) await pause(ONE_TAB_MS);
      })
      .catch(() => resolve(true));
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
