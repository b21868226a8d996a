import { getStatsHistory } from '@innkeeper/contract/stats-history'
import { cleanup, screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { appendPoint, emptyHistory } from '../../realtime/stats-history.ts'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { StatsPanel } from './stats-panel.tsx'

const server = '0a0a0a0a'
const noon = Date.UTC(2026, 10, 21, 12)
const live = appendPoint(emptyHistory(noon), { timestamp: noon, cpu: 34.18, memory: 4 * 1024 ** 3 })
const panelOf = (props: { isLive?: boolean; isOffline?: boolean } = {}) => (
  <StatsPanel server={server} history={live} isLive isOffline={false} {...props} />
)

function past(values: readonly (number | null)[]) {
  const memory = values.map((value) => (value === null ? null : value * 1024 ** 2))
  return {
    fromMs: noon - values.length * 60_000,
    stepMs: 60_000,
    cpu: [...values],
    cpuPeak: [...values],
    memory,
    memoryPeak: memory,
  }
}

test('the last minutes are shown as they come', async () => {
  await openPart(panelOf())

  expect(screen.getByRole('img', { name: /^CPU\. Now 34\.18%/ })).toBeDefined()
  expect(screen.getByRole('img', { name: /^Memory\. Now 4,096\.00 MiB/ })).toBeDefined()
  expect(screen.getByText('Last 2 minutes, one point every 3 seconds')).toBeDefined()
})

test('without a live connection it says that the server is polled; Live is only the name of the range', async () => {
  await openPart(panelOf())
  const whileLive = [screen.queryAllByText('Live').length, screen.queryByText('Polling')]
  cleanup()

  await openPart(panelOf({ isLive: false }))

  expect(whileLive).toEqual([1, null])
  expect(screen.getAllByText('Live')).toHaveLength(1)
  expect(screen.getByText('Polling')).toBeDefined()
})

test('a range of the past is asked of the node, and remembered', async () => {
  const panel = new FakePanel()
  panel.answer(getStatsHistory, past([null, 10, 30]))
  const { user } = await openPart(panelOf(), { panel })

  await user.click(screen.getByRole('radio', { name: '24 h' }))

  expect(await screen.findByRole('img', { name: 'CPU. Average 20.00%, Peak 30.00%' })).toBeDefined()
  expect(localStorage.getItem('innkeeper.preference.statsSpan')).toBe('day')
})

test('the points of the past can be read as a table, the newest first', async () => {
  const panel = new FakePanel()
  panel.answer(getStatsHistory, past([null, 10, 30]))
  const { user } = await openPart(panelOf(), { panel })
  await user.click(screen.getByRole('radio', { name: '1 h' }))

  await user.click(await screen.findByRole('button', { name: 'Show as table' }))

  const [, newest, older, ...others] = within(screen.getByRole('table')).getAllByRole('row')
  expect(newest?.textContent).toContain('30.00%30.00 MiB')
  expect(older?.textContent).toContain('10.00%10.00 MiB')
  expect(others).toEqual([])
})

test('a time in which nothing was measured says so', async () => {
  const panel = new FakePanel()
  panel.answer(getStatsHistory, past([null, null]))
  const { user } = await openPart(panelOf(), { panel })

  await user.click(screen.getByRole('radio', { name: '1 y' }))

  expect(await screen.findByText('Nothing was measured in this time.')).toBeDefined()
})

test('disk and network are shown where they are known; what is not measured is said', async () => {
  const seen = [1, 2, 3].map((step) => ({
    timestamp: noon + step * 3_000,
    cpu: 1,
    memory: 2 ** 20,
    diskRead: 0,
    diskWrite: step * 2 ** 20,
  }))
  const history = seen.reduce(appendPoint, emptyHistory(noon))

  await openPart(<StatsPanel server={server} history={history} isLive isOffline={false} />)

  expect(
    screen.getByRole('img', { name: 'Disk write. Now 3.00 MiB/s, Average 2.00 MiB/s, Peak 3.00 MiB/s' }),
  ).toBeDefined()
  expect(screen.getByText('Network: not measured, this server shares the network of its node.')).toBeDefined()
  expect(screen.queryByText(/^Disk: not measured/)).toBeNull()
})

test('the past of disk and network is drawn too', async () => {
  const panel = new FakePanel()
  const known = [null, 2 ** 20, 2 ** 20]
  panel.answer(getStatsHistory, { ...past([null, 10, 30]), networkIn: known, networkOut: known })
  const { user } = await openPart(panelOf(), { panel })

  await user.click(screen.getByRole('radio', { name: '24 h' }))

  expect(await screen.findByRole('img', { name: 'Network out. Average 1.00 MiB/s, Peak 1.00 MiB/s' })).toBeDefined()
  expect(screen.getByText(/^Disk: not measured/)).toBeDefined()
})

test('of a server that is off no value is invented', async () => {
  await openPart(<StatsPanel server={server} history={emptyHistory(noon)} isLive isOffline />)

  expect(screen.getByText('No data while the server is offline.')).toBeDefined()
  expect(screen.getByRole('img', { name: 'CPU. Now —, Average —, Peak —' })).toBeDefined()
})
