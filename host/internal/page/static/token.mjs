// The launch token comes in the URL's fragment, which no server sees, and is kept
// for this tab only. It never stays in the address bar.

const key = 'strata.token';

/**
 * Takes the token out of the address, or what an earlier load of this tab kept.
 * @param {{hash: string, pathname: string, search: string}} location
 * @param {Pick<Storage, 'getItem' | 'setItem'>} storage
 * @param {Pick<History, 'replaceState'>} history
 * @returns {string} '' where there is none
 */
export function takeToken(location, storage, history) {
  const found = new URLSearchParams(location.hash.replace(/^#/, '')).get('token');
  if (found) {
    storage.setItem(key, found);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return found || storage.getItem(key) || '';
}
