import { limits } from '@innkeeper/contract/text/limits'
import type { ReceivedOutput } from './fleet-viewers.ts'
import type { Observation } from './servers.ts'
import { quantile } from './statistics.ts'

/** Limit of the 95th percentile of the time to load a page of the server list. */
const maxPageMs = 100

/** Times to load a page of the server list in milliseconds: servers, then their usage. */
export interface ListTimes {
  readonly list: readonly number[]
  readonly usage: readonly number[]
  /** Servers on the page, and those that are shown with an outdated state. */
  readonly servers: number
  readonly outdated: number
  /** Whether exactly the servers on killed nodes are outdated, and all are shown as running. */
  readonly isCorrect: boolean
}

export interface Usage {
  /** CPU in percent of a core. */
  readonly cpu: number
  /** Memory in MiB. */
  readonly memory: number
}

/** Measurements of one round; times in milliseconds. */
export interface Round {
  readonly servers: number
  readonly first: ListTimes
  readonly largest: ListTimes
  readonly status: readonly number[]
  readonly nodes: readonly number[]
  readonly output: ReceivedOutput
  /** Connected viewers, and expected ones. */
  readonly viewers: number
  readonly expectedViewers: number
  readonly panel: Usage
  /** Median of all nodes. */
  readonly node: Usage
  readonly keeperMemory: number
}

/** Reports lists, viewers and resource usage of one round. */
export function formatRound(name: string, round: Round): readonly Observation[] {
  return [
    { name: `${name}, lists`, ...formatLists(round) },
    { name: `${name}, viewers`, ...formatViewers(round) },
    { name: `${name}, idle`, isGoalMet: true, details: formatUsage(round) },
  ]
}

type Report = Omit<Observation, 'name'>

function formatLists({ first, largest, status, nodes }: Round): Report {
  const page = (pages: ListTimes) =>
    `${formatTimes(totals(pages))} (< ${maxPageMs}; list ${formatTimes(pages.list)}, usage ${formatTimes(pages.usage)})`
  const isCorrect = first.isCorrect && largest.isCorrect
  return {
    isGoalMet: isCorrect && [first, largest].every((pages) => p95(totals(pages)) < maxPageMs),
    details: [
      `p50 / p95 in ms: page of ${limits.pageSize} ${page(first)}`,
      `page of up to ${limits.pageSizeMax} ${page(largest)}`,
      `status of one server ${formatTimes(status)}`,
      `nodes ${formatTimes(nodes)}`,
      isCorrect
        ? `${largest.outdated} of ${largest.servers} servers are shown as outdated`
        : 'THE PAGES SHOW WRONG STATES',
    ].join('; '),
  }
}

function formatViewers({ output: { delays, expected, duplicates }, viewers, expectedViewers }: Round): Report {
  return {
    isGoalMet: delays.length === expected && duplicates === 0 && viewers === expectedViewers,
    details: [
      `${viewers} of ${expectedViewers} connected`,
      `${expected - delays.length} of ${expected} lines lost, ${duplicates} duplicates`,
      `delay ${formatTimes(delays)} ms (p50 / p95), maximum ${quantile(delays, 1).toFixed(1)} ms`,
    ].join('; '),
  }
}

function formatUsage({ panel, node, keeperMemory }: Round): string {
  const format = ({ cpu, memory }: Usage) => `${cpu.toFixed(1)} % of a core, ${memory.toFixed(0)} MiB`
  return `panel ${format(panel)}; node ${format(node)}; keeper ${keeperMemory.toFixed(0)} MiB (medians of nodes and keepers)`
}

/** Reports the growth from round to round. */
export function formatGrowth(rounds: readonly Round[]): Observation {
  const row = (select: (round: Round) => number, digits = 1) =>
    rounds.map((round) => select(round).toFixed(digits)).join(' → ')
  return {
    name: `fleet: ${rounds.map(({ servers }) => servers).join(' → ')} servers`,
    isGoalMet: true,
    details: [
      `p95 of a page of ${limits.pageSize} ${row(({ first }) => p95(totals(first)))} ms`,
      `of up to ${limits.pageSizeMax} ${row(({ largest }) => p95(totals(largest)))} ms`,
      `of a status ${row(({ status }) => p95(status))} ms`,
      `of the nodes ${row(({ nodes }) => p95(nodes))} ms`,
      `of the delay ${row(({ output }) => p95(output.delays))} ms`,
      `panel ${row(({ panel }) => panel.cpu)} % and ${row(({ panel }) => panel.memory, 0)} MiB`,
      `node ${row(({ node }) => node.cpu)} % and ${row(({ node }) => node.memory, 0)} MiB`,
      `keeper ${row(({ keeperMemory }) => keeperMemory, 0)} MiB`,
    ].join('; '),
  }
}

const totals = ({ list, usage }: ListTimes): readonly number[] =>
  list.map((listMs, index) => listMs + (usage[index] ?? Number.NaN))
const p95 = (times: readonly number[]): number => quantile(times, 0.95)
const formatTimes = (times: readonly number[]): string =>
  `${quantile(times, 0.5).toFixed(1)} / ${p95(times).toFixed(1)}`
