// What a person approves must look like what will run: characters that change
// how text looks, or that can't be seen, are written out.

// Controls but tab and newline; soft hyphen; zero-width and direction marks; line
// separators; invisible operators; byte order mark; tag characters.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** @param {string} text */
export function visible(text) {
  return text.replace(hidden, (c) => `\\u{${/** @type {number} */ (c.codePointAt(0)).toString(16)}}`);
}

/**
 * A call's arguments as rows: nothing is left out, strings stand as they are.
 * @param {string} input JSON text
 * @returns {{name: string, text: string}[]} one row without a name where it is no object
 */
export function rowsOf(input) {
  let value;
  try {
    value = JSON.parse(input);
  } catch {
    return [{ name: '', text: visible(input) }];
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ name: '', text: show(value) }];
  const rows = Object.entries(value).map(([name, v]) => ({ name: visible(name), text: show(v) }));
  return [...rows.filter((r) => !long(r.text)), ...rows.filter((r) => long(r.text))];
}

/** Long values come last, so that the path above a file's text is seen first. @param {string} text */
const long = (text) => text.length > 80 || text.includes('\n');

/** @param {unknown} v */
const show = (v) => visible(typeof v === 'string' ? v : JSON.stringify(v, null, 2));
