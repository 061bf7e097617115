// Runs in the page under test. Finds its controls and measures the colours that are drawn, as WCAG 2.2 counts them.
(() => {
  const CONTROLS =
    'a[href], button, input, select, textarea, summary, [role="tab"], [role="button"], [role="option"], [role="menuitem"]';
  const OF_STYLE = ['class', 'type', 'role', 'data-kind', 'data-tone', 'data-state', 'aria-pressed', 'aria-selected'];
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });

  /** The colour that comes of painting the colours over white, first to last, as [r, g, b]. */
  function painted(colours) {
    pixel.fillStyle = '#fff';
    pixel.fillRect(0, 0, 1, 1);
    for (const colour of colours) {
      pixel.fillStyle = colour;
      pixel.fillRect(0, 0, 1, 1);
    }
    return [...pixel.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  }

  function luminance(rgb) {
    const [r, g, b] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function ratio(one, other) {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  }

  function backgrounds(element) {
    const path = [];
    for (let at = element; at !== null; at = at.parentElement) {
      path.unshift(getComputedStyle(at).backgroundColor);
      // A dialog is drawn above the page, on its own background.
      if (at.tagName === 'DIALOG') break;
    }
    return path;
  }

  const visible = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getBoundingClientRect().width > 1 &&
    element.getBoundingClientRect().height > 1;

  const signature = (element) =>
    [element, element.parentElement]
      .map((each) => `${each?.tagName}:${OF_STYLE.map((name) => each?.getAttribute(name) ?? '').join(',')}`)
      .concat(String(element.disabled === true || element.getAttribute('aria-disabled') === 'true'))
      .join('|');

  /** Marks each kind of visible control that is not in `known`, and gives the signature of each mark. */
  function mark(known) {
    for (const old of document.querySelectorAll('[data-contrast]')) old.removeAttribute('data-contrast');
    const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
    const seen = new Set(known);
    const fresh = [];
    for (const element of top.querySelectorAll(CONTROLS)) {
      if (!visible(element)) continue;
      const kind = signature(element);
      if (seen.has(kind)) continue;
      seen.add(kind);
      element.setAttribute('data-contrast', String(fresh.length));
      fresh.push(kind);
    }
    return fresh;
  }

  /** Sets or clears what makes a control disabled; false where it cannot be disabled. */
  function disable(index, on) {
    const element = document.querySelector(`[data-contrast="${index}"]`);
    if (!element || !('disabled' in element)) return false;
    element.disabled = on;
    return true;
  }

  function measureText(element, faults) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const parents = new Set();
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (walker.currentNode.data.trim() !== '' && parent !== null && visible(parent)) parents.add(parent);
    }
    if (typeof element.value === 'string' && !['checkbox', 'radio'].includes(element.type)) parents.add(element);
    for (const parent of parents) {
      const style = getComputedStyle(parent);
      const size = Number.parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const behind = backgrounds(parent);
      const found = ratio(painted([...behind, style.color]), painted(behind));
      if (found < (large ? 3 : 4.5))
        faults.push(
          `text "${(parent.textContent || parent.placeholder || '').trim().slice(0, 30)}" ${found.toFixed(2)}`,
        );
    }
  }

  function measureIcons(element, faults) {
    if (element.textContent.trim() !== '') return;
    for (const icon of element.querySelectorAll('svg')) {
      const behind = backgrounds(icon);
      const found = ratio(painted([...behind, getComputedStyle(icon).color]), painted(behind));
      if (found < 3) faults.push(`icon ${found.toFixed(2)}`);
    }
  }

  /** A focused control must be told from an unfocused one: a ring of 3 to 1 against what lies around it. */
  function measureRing(element, faults) {
    const rings = [getComputedStyle(element), getComputedStyle(element, '::after')].filter(
      ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
    );
    if (rings.length === 0) return faults.push('no ring when focused');
    const behind = backgrounds(element.parentElement ?? element);
    const best = Math.max(
      ...rings.map(({ outlineColor }) => ratio(painted([...behind, outlineColor]), painted(behind))),
    );
    if (best < 3) faults.push(`ring ${best.toFixed(2)}`);
  }

  /** What is too faint about a marked control as it is drawn now, and a name for the report. */
  function measure(index, state) {
    const element = document.querySelector(`[data-contrast="${index}"]`);
    if (element === null) return { name: '', gone: true, faults: [] };
    // A new state may fade in; what is measured is where it ends.
    getComputedStyle(element).color;
    for (const fading of document.getAnimations()) fading.finish();
    const faults = [];
    measureText(element, faults);
    measureIcons(element, faults);
    // What Tab never reaches takes the focus only together with a reachable sibling, as an unselected tab does.
    if (state === 'focus' && element.tabIndex >= 0) measureRing(element, faults);
    const name = (element.getAttribute('aria-label') ?? element.textContent ?? element.id).trim().slice(0, 30);
    return { name: `${element.tagName.toLowerCase()} "${name}"`, gone: false, faults };
  }

  globalThis.contrast = { mark, disable, measure };
})();
