/** Progress is printed at most once in this interval. */
export const progressIntervalMs = 2_000
/** Progress below 10 % is printed after this interval. */
export const maxProgressIntervalMs = 10_000

/** Prints the progress of a download: every 10 %, at least every few seconds, but not too often. */
export class DownloadProgress {
  readonly #name: string
  readonly #total: number | undefined
  readonly #say: (message: string) => void
  readonly #now: () => number
  #done: number
  #reported: { readonly at: number; readonly tenths: number }

  constructor(
    name: string,
    done: number,
    total: number | undefined,
    say: (message: string) => void,
    now = () => performance.now(),
  ) {
    this.#name = name
    this.#done = done
    this.#total = total
    this.#say = say
    this.#now = now
    this.#reported = { at: now(), tenths: this.#tenths() }
  }

  get done(): number {
    return this.#done
  }

  add(bytes: number): void {
    this.#done += bytes
    const [now, tenths] = [this.#now(), this.#tenths()]
    const quiet = now - this.#reported.at
    if (quiet < progressIntervalMs) return
    if (tenths === this.#reported.tenths && quiet < maxProgressIntervalMs) return
    this.#reported = { at: now, tenths }
    this.#say(`Downloading ${this.#name}: ${this.#describe()}`)
  }

  #tenths(): number {
    return this.#total ? Math.floor((this.#done * 10) / this.#total) : 0
  }

  #describe(): string {
    if (!this.#total) return `${formatSize(this.#done)} so far`
    return `${Math.floor((this.#done * 100) / this.#total)} % of ${formatSize(this.#total)}`
  }
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Formats as `81 MiB`, `1.5 GiB`, `12 bytes`. */
export function formatSize(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const amount = bytes / 1024 ** power
  return `${amount < 10 && power > 0 ? Math.round(amount * 10) / 10 : Math.round(amount)} ${units[power]}`
}
