import { readFile, writeFile } from 'node:fs/promises'
import { Delays, evaluate, type Goal, summarize } from './statistics.ts'

/** An operation that both Innkeeper and a reference program perform. */
export interface Comparison {
  readonly name: string
  readonly goal: Goal
  /** The name of the reference program. */
  readonly referenceName: string
  /** Its duration is compared, or the 99th percentile of the `Delays` that it returns. */
  readonly ours: () => Promise<unknown>
  readonly reference: () => Promise<unknown>
  /** Removes the output of a run, outside of the measured time. */
  readonly cleanUp?: () => Promise<unknown>
  /** The process whose memory is measured during our runs. */
  readonly pid?: number
  /** The limit of that memory in MiB. */
  readonly maxMiB?: number
}

export interface Result {
  readonly name: string
  readonly referenceName: string
  readonly oursMs: number
  readonly referenceMs: number
  /** The larger one of both. */
  readonly spread: number
  readonly ratio: number
  readonly goal: Goal
  readonly isMet: boolean
  /** Maximum growth during one run, and peak, of the measured process. */
  readonly memory?: MemoryUsage
}

/** Short operations get more runs, because V8 still optimizes during the first ones. */
const repetitionsFor = (ms: number) => (ms < 6_000 ? 9 : 5)
/** The limit of memory growth during one operation, whatever its size. */
const maxGrowthMiB = 64
const acceptableSpread = 0.3
const rounds = 3

/** Alternates our runs and reference runs, so that other load affects both. Repeats the round if the times vary much. */
export async function compare(comparison: Comparison): Promise<Result> {
  const { name, referenceName, goal, maxMiB = Number.POSITIVE_INFINITY } = comparison
  const peaks: MemoryUsage[] = []
  const runOurs = async () => {
    const memory = comparison.pid === undefined ? undefined : await MemoryPeak.watch(comparison.pid)
    const durationMs = await runOnce(comparison, comparison.ours)
    if (memory) peaks.push(await memory.peak())
    return durationMs
  }
  // The first run only counts for memory, which grows most in it.
  const repetitions = repetitionsFor((await runOurs()) + (await runOnce(comparison, comparison.reference)))
  let best: Result | undefined
  for (let round = 0; round < rounds; round++) {
    const [ours, references]: [number[], number[]] = [[], []]
    for (let index = 0; index < repetitions; index++) {
      ours.push(await runOurs())
      references.push(await runOnce(comparison, comparison.reference))
    }
    const [mine, theirs] = [summarize(ours), summarize(references)]
    const outcome: Result = {
      name,
      referenceName,
      goal,
      oursMs: mine.median,
      referenceMs: theirs.median,
      spread: Math.max(mine.spread, theirs.spread),
      ...evaluate(goal, mine.median, theirs.median),
    }
    if (!best || outcome.spread < best.spread) best = outcome
    if (best.spread <= acceptableSpread) break
  }
  const outcome = best as Result
  if (peaks.length === 0) return outcome
  const memory = {
    growthMiB: Math.max(...peaks.map((usage) => usage.growthMiB)),
    peakMiB: Math.max(...peaks.map((usage) => usage.peakMiB)),
  }
  return { ...outcome, memory, isMet: outcome.isMet && memory.growthMiB < maxGrowthMiB && memory.peakMiB <= maxMiB }
}

async function runOnce({ cleanUp }: Comparison, operation: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  const result = await operation()
  const durationMs = result instanceof Delays ? result.p99 : performance.now() - startedAt
  await cleanUp?.()
  return durationMs
}

/** In MiB. */
interface MemoryUsage {
  readonly growthMiB: number
  readonly peakMiB: number
}

/** Peak memory of a process, which Linux records and can reset. */
export class MemoryPeak {
  readonly #pid: number
  readonly #before: number

  private constructor(pid: number, before: number) {
    this.#pid = pid
    this.#before = before
  }

  static async watch(pid: number): Promise<MemoryPeak> {
    await resetPeak(pid)
    return new MemoryPeak(pid, await peakKiB(pid))
  }

  async peak(): Promise<MemoryUsage> {
    const peak = await peakKiB(this.#pid)
    return { growthMiB: (peak - this.#before) / 1024, peakMiB: peak / 1024 }
  }
}

/** One line of the printed table. */
export function formatResult({
  name,
  referenceName,
  oursMs,
  referenceMs,
  spread,
  ratio,
  goal,
  isMet,
  memory,
}: Result): string {
  const goalText = 'speed' in goal ? `≥ ${goal.speed.toFixed(2)} × speed` : `≤ ${goal.time.toFixed(2)} × time`
  return [
    isMet ? 'ok  ' : 'MISS',
    name.padEnd(44),
    `${inMs(oursMs)} ms`.padStart(9),
    `${referenceName} ${inMs(referenceMs)} ms`.padStart(20),
    `${ratio.toFixed(2)} ×`.padStart(8),
    goalText.padStart(16),
    `spread ${(spread * 100).toFixed(0)} %`.padStart(12),
    memory ? `memory +${memory.growthMiB.toFixed(0)} to ${memory.peakMiB.toFixed(0)} MiB` : '',
  ].join('  ')
}

const inMs = (time: number) => time.toFixed(time < 100 ? 1 : 0)

/** Resets the recorded peak, see proc(5). */
async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

async function peakKiB(pid: number): Promise<number> {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kib === undefined) throw new Error(`Process ${pid} has no recorded peak`)
  return Number(kib)
}
