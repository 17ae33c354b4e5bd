// Pictures that go with a message, made small enough for the agent.
/** @import * as chat from '../../../../../proto/schema/chat.js' */

/** What the agent takes: pixels of a side, bytes, and kinds. */
const maxSide = 2000;
const maxSize = 3_670_016;
const kinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * A file as an attachment. What is too large, or of another kind, becomes a JPEG. The
 * promise fails for a file that the browser cannot draw.
 * @param {File} file
 * @returns {Promise<chat.Attachment>}
 */
export async function pictureOf(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  /** @type {Blob} */
  let blob = file;
  if (scale < 1 || file.size > maxSize || !kinds.includes(file.type)) {
    const canvas = new OffscreenCanvas(Math.max(1, Math.floor(bitmap.width * scale)), Math.max(1, Math.floor(bitmap.height * scale)));
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 });
  }
  bitmap.close();
  return { name: file.name || 'picture', mediaType: blob.type, data: base64(new Uint8Array(await blob.arrayBuffer())) };
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
