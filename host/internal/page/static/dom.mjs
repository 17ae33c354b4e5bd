// Building elements. Text only ever becomes text nodes; there is no way here to
// make markup of a string, and the page's policy would refuse one.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | boolean | number | null | undefined | ((e: any) => void)>} [props] a function
 *   is a listener; true is an attribute without a value; false, null and undefined are left out
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') el.addEventListener(name, value);
    else if (value === true) el.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) el.setAttribute(name, String(value));
  }
  el.append(...children.filter((c) => c !== null && c !== undefined && c !== false));
  return el;
}

/** @param {HTMLElement} el @param {string} text */
export function setText(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

/**
 * Makes parent's children those of list, with as few moves as a list that mostly
 * grows at its end needs.
 * @param {Element} parent @param {Node[]} list
 */
export function setChildren(parent, list) {
  list.forEach((node, i) => {
    if (parent.childNodes[i] !== node) parent.insertBefore(node, parent.childNodes[i] ?? null);
  });
  while (parent.childNodes.length > list.length) parent.lastChild?.remove();
}

/**
 * One line with what is technical folded away.
 * @param {string} text @param {string} details @param {string} label
 */
export function sentence(text, details, label) {
  return h('div', { class: 'sentence' }, h('p', {}, text),
    details && h('details', {}, h('summary', {}, label), h('pre', { tabindex: 0 }, details)));
}
