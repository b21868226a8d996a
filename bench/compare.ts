import { readFile, writeFile } from 'node:fs/promises'
import { Delays, figuresOf, type Goal, judge } from './figures.ts'

/** One thing that we and a reference both do. */
export interface Contest {
  readonly name: string
  readonly goal: Goal
  /** The name of the program that we are measured against. */
  readonly against: string
  /** Its time counts, or the 99th percentile of the delays that it gives. */
  readonly ours: () => Promise<unknown>
  readonly reference: () => Promise<unknown>
  /** Undoes what a turn left, outside of the measured time. */
  readonly after?: () => Promise<unknown>
  /** The process whose memory is watched while we work. */
  readonly pid?: number
  /** What that process may take in all, in MiB. */
  readonly mostMiB?: number
}

export interface Outcome {
  readonly name: string
  readonly against: string
  readonly oursMs: number
  readonly referenceMs: number
  /** The larger of both. */
  readonly spread: number
  readonly ratio: number
  readonly goal: Goal
  readonly isMet: boolean
  /** The most that the watched process grew during one of our turns, and took in all. */
  readonly memory?: Peak
}

/** Of short turns, six seconds for both, there are more: V8 still learns in the first. */
const repetitionsFor = (ms: number) => (ms < 6_000 ? 9 : 5)
/** A node may grow by so much while it does one thing, whatever its size. */
const growthMiB = 64
const acceptableSpread = 0.3
const rounds = 3

/** Ours and the reference in turns, so that what disturbs the machine disturbs both; once more when they vary much. */
export async function compare(contest: Contest): Promise<Outcome> {
  const { name, against, goal, mostMiB = Number.POSITIVE_INFINITY } = contest
  const peaks: Peak[] = []
  const ourTurn = async () => {
    const memory = contest.pid === undefined ? undefined : await MemoryPeak.watch(contest.pid)
    const took = await turn(contest, contest.ours)
    if (memory) peaks.push(await memory.peak())
    return took
  }
  // The first turn counts for memory only: then most of it is taken.
  const repetitions = repetitionsFor((await ourTurn()) + (await turn(contest, contest.reference)))
  let best: Outcome | undefined
  for (let round = 0; round < rounds; round++) {
    const [ours, references]: [number[], number[]] = [[], []]
    for (let at = 0; at < repetitions; at++) {
      ours.push(await ourTurn())
      references.push(await turn(contest, contest.reference))
    }
    const [mine, theirs] = [figuresOf(ours), figuresOf(references)]
    const outcome: Outcome = {
      name,
      against,
      goal,
      oursMs: mine.median,
      referenceMs: theirs.median,
      spread: Math.max(mine.spread, theirs.spread),
      ...judge(goal, mine.median, theirs.median),
    }
    if (!best || outcome.spread < best.spread) best = outcome
    if (best.spread <= acceptableSpread) break
  }
  const outcome = best as Outcome
  if (peaks.length === 0) return outcome
  const memory = {
    grewMiB: Math.max(...peaks.map(({ grewMiB }) => grewMiB)),
    tookMiB: Math.max(...peaks.map(({ tookMiB }) => tookMiB)),
  }
  return { ...outcome, memory, isMet: outcome.isMet && memory.grewMiB < growthMiB && memory.tookMiB <= mostMiB }
}

async function turn({ after }: Contest, act: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  const gave = await act()
  const took = gave instanceof Delays ? gave.p99 : performance.now() - from
  await after?.()
  return took
}

/** In MiB. */
interface Peak {
  readonly grewMiB: number
  readonly tookMiB: number
}

/** The peak of a process's memory, which Linux keeps and lets us set back. */
class MemoryPeak {
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

  async peak(): Promise<Peak> {
    const peak = await peakKiB(this.#pid)
    return { grewMiB: (peak - this.#before) / 1024, tookMiB: peak / 1024 }
  }
}

/** A line of the table that people read. */
export function lineOf({ name, against, oursMs, referenceMs, spread, ratio, goal, isMet, memory }: Outcome): string {
  const wanted = 'speed' in goal ? `≥ ${goal.speed.toFixed(2)} × speed` : `≤ ${goal.time.toFixed(2)} × time`
  return [
    isMet ? 'ok  ' : 'MISS',
    name.padEnd(44),
    `${inMs(oursMs)} ms`.padStart(9),
    `${against} ${inMs(referenceMs)} ms`.padStart(20),
    `${ratio.toFixed(2)} ×`.padStart(8),
    wanted.padStart(16),
    `spread ${(spread * 100).toFixed(0)} %`.padStart(12),
    memory ? `memory +${memory.grewMiB.toFixed(0)} to ${memory.tookMiB.toFixed(0)} MiB` : '',
  ].join('  ')
}

const inMs = (time: number) => time.toFixed(time < 100 ? 1 : 0)

/** Forgets the peak so far; Linux takes a `5` for that. */
async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

async function peakKiB(pid: number): Promise<number> {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kib === undefined) throw new Error(`Process ${pid} has no memory`)
  return Number(kib)
}
