// @ts-check
/** A queue that one reader takes from, without a bound: the host's own are so. @template T */
export class Queue {
  /** @type {T[]} */
  #items = []
  #ended = false
  /** @type {Error | undefined} */
  #error
  #wake = () => {}

  /** @param {T} item */
  push(item) {
    this.#items.push(item)
    this.#wake()
  }

  /** No more comes; with an error, the reader gets that after the rest. @param {Error} [error] */
  end(error) {
    this.#ended = true
    this.#error ??= error
    this.#wake()
  }

  /** What comes, until the end or the signal. @param {AbortSignal} signal @returns {AsyncGenerator<T>} */
  async *read(signal) {
    const stop = () => this.#wake()
    signal.addEventListener('abort', stop)
    try {
      while (!signal.aborted) {
        const item = this.#items.shift()
        if (item !== undefined) yield item
        else if (this.#error) throw this.#error
        else if (this.#ended) return
        else await new Promise(resolve => { this.#wake = () => resolve(undefined) })
      }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}
