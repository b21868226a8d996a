import { limits } from '@innkeeper/contract/limits'
import { quantile } from './figures.ts'
import type { Heard } from './fleet-viewers.ts'
import type { Observation } from './servers.ts'

/** What a page of the list may take, nineteen of twenty times. */
const pageMs = 100

/** How long a page of the list took, in milliseconds: its servers, then what they are doing, as the page asks for it. */
export interface Pages {
  readonly list: readonly number[]
  readonly usage: readonly number[]
  /** How many servers are on it, and of how many it is said that this is how they were. */
  readonly servers: number
  readonly old: number
  /** Whether that is said of exactly those whose node is dead, and of all that they run. */
  readonly isTrue: boolean
}

export interface Cost {
  /** Percent of a core. */
  readonly cpu: number
  /** MiB. */
  readonly memory: number
}

/** All that was measured in one round; times in milliseconds. */
export interface Round {
  readonly servers: number
  readonly first: Pages
  readonly largest: Pages
  readonly status: readonly number[]
  readonly nodes: readonly number[]
  readonly heard: Heard
  /** Viewers that are there, and that should be. */
  readonly viewers: number
  readonly wanted: number
  readonly panel: Cost
  /** Medians of all. */
  readonly node: Cost
  readonly keeperMemory: number
}

/** What one round says: what is asked, what is seen, what it costs. */
export function linesOf(name: string, round: Round): readonly Observation[] {
  return [
    { name: `${name}, lists`, ...listsOf(round) },
    { name: `${name}, viewers`, ...viewersOf(round) },
    { name: `${name}, idle`, isMet: true, figures: idleOf(round) },
  ]
}

type Said = Omit<Observation, 'name'>

function listsOf({ first, largest, status, nodes }: Round): Said {
  const page = (pages: Pages) =>
    `${spread(bothOf(pages))} (< ${pageMs}; list ${spread(pages.list)}, usage ${spread(pages.usage)})`
  const isTrue = first.isTrue && largest.isTrue
  return {
    isMet: isTrue && [first, largest].every((pages) => p95(bothOf(pages)) < pageMs),
    figures: [
      `p50 / p95 in ms: page of ${limits.pageSize} ${page(first)}`,
      `page of up to ${limits.pageSizeMax} ${page(largest)}`,
      `status of one ${spread(status)}`,
      `nodes ${spread(nodes)}`,
      isTrue ? `${largest.old} of ${largest.servers} are told as they were` : 'WHAT THE PAGES TELL IS WRONG',
    ].join('; '),
  }
}

function viewersOf({ heard: { delays, wanted: lines, doubled }, viewers, wanted }: Round): Said {
  return {
    isMet: delays.length === lines && doubled === 0 && viewers === wanted,
    figures: [
      `${viewers} of ${wanted} connected`,
      `${lines - delays.length} of ${lines} lines lost, ${doubled} doubled`,
      `delay ${spread(delays)} ms (p50 / p95), longest ${quantile(delays, 1).toFixed(1)} ms`,
    ].join('; '),
  }
}

function idleOf({ panel, node, keeperMemory }: Round): string {
  const cost = ({ cpu, memory }: Cost) => `${cpu.toFixed(1)} % of a core, ${memory.toFixed(0)} MiB`
  return `panel ${cost(panel)}; node ${cost(node)}; keeper ${keeperMemory.toFixed(0)} MiB (medians of nodes and keepers)`
}

/** How everything grows from round to round. */
export function growthOf(rounds: readonly Round[]): Observation {
  const row = (of: (round: Round) => number, digits = 1) => rounds.map((round) => of(round).toFixed(digits)).join(' → ')
  return {
    name: `fleet: ${rounds.map(({ servers }) => servers).join(' → ')} servers`,
    isMet: true,
    figures: [
      `p95 of a page of ${limits.pageSize} ${row(({ first }) => p95(bothOf(first)))} ms`,
      `of up to ${limits.pageSizeMax} ${row(({ largest }) => p95(bothOf(largest)))} ms`,
      `of a status ${row(({ status }) => p95(status))} ms`,
      `of the nodes ${row(({ nodes }) => p95(nodes))} ms`,
      `of the delay ${row(({ heard }) => p95(heard.delays))} ms`,
      `panel ${row(({ panel }) => panel.cpu)} % and ${row(({ panel }) => panel.memory, 0)} MiB`,
      `node ${row(({ node }) => node.cpu)} % and ${row(({ node }) => node.memory, 0)} MiB`,
      `keeper ${row(({ keeperMemory }) => keeperMemory, 0)} MiB`,
    ].join('; '),
  }
}

const bothOf = ({ list, usage }: Pages): readonly number[] => list.map((took, at) => took + (usage[at] ?? Number.NaN))
const p95 = (took: readonly number[]): number => quantile(took, 0.95)
const spread = (took: readonly number[]): string => `${quantile(took, 0.5).toFixed(1)} / ${p95(took).toFixed(1)}`
