import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getStatsHistory, getUptime } from '@innkeeper/contract/servers/stats-history'
import { cleanup, screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { appendPoint, emptyHistory } from '../../realtime/stats-history.ts'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart, refocusWindow } from '../../testing/open-part.tsx'
import { StatsPanel } from './stats-panel.tsx'

const server = '0a0a0a0a'
const noon = Date.UTC(2026, 10, 21, 12)
const live = appendPoint(emptyHistory(noon), { timestamp: noon, cpu: 34.18, memory: 4 * 1024 ** 3 })
const renderPanel = (props: { isLive?: boolean; isOffline?: boolean } = {}) => (
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

test('live usage is shown as charts', async () => {
  await openPart(renderPanel())

  expect(screen.getByRole('img', { name: /^CPU: now 34\.18%/ })).toBeDefined()
  expect(screen.getByRole('img', { name: /^Memory: now 4,096\.00 MiB/ })).toBeDefined()
  expect(screen.getByText('Last 2 minutes, one point every 3 seconds')).toBeDefined()
})

test('axes have their unit and leave room above small values, unless they are fitted', async () => {
  const small = appendPoint(emptyHistory(noon), { timestamp: noon, cpu: 3, memory: 8 * 1024 ** 2 })
  const { user } = await openPart(<StatsPanel server={server} history={small} isLive isOffline={false} />)
  const ticks = (name: string) =>
    [...screen.getByRole('img', { name: new RegExp(`^${name}:`) }).querySelectorAll('[text-anchor="end"]')].map(
      (tick) => tick.textContent,
    )
  const full = [ticks('CPU'), ticks('Memory')]

  await user.click(screen.getByRole('button', { name: 'Fit axes to values' }))

  expect(full[0]).toContain('100%')
  expect(full[1]).toEqual(expect.arrayContaining(['MiB', '1,000']))
  expect(ticks('CPU')).toEqual(['0%', '1%', '2%', '3%', '4%', '5%', 'now'])
  expect(ticks('Memory')).toEqual(['MiB', '0', '2', '4', '6', '8', 'now'])
})

test('a badge shows when the server is polled; Live is only the name of the range', async () => {
  await openPart(renderPanel())
  const whileLive = [screen.queryAllByText('Live').length, screen.queryByText('Live updates delayed')]
  cleanup()

  await openPart(renderPanel({ isLive: false }))

  expect(whileLive).toEqual([1, null])
  expect(screen.getAllByText('Live')).toHaveLength(1)
  expect(screen.getByText('Live updates delayed')).toBeDefined()
})

test('a selected range is loaded and remembered', async () => {
  const panel = new FakePanel()
  panel.respond(getStatsHistory, past([null, 10, 30]))
  const { user } = await openPart(renderPanel(), { panel })

  await user.click(screen.getByRole('radio', { name: '24 h' }))

  expect(await screen.findByRole('img', { name: 'CPU: average 20.00%, peak 30.00%' })).toBeDefined()
  expect(localStorage.getItem('innkeeper.preference.statsSpan')).toBe('day')
})

test('the points are also shown as a table, newest first', async () => {
  const panel = new FakePanel()
  panel.respond(getStatsHistory, past([null, 10, 30]))
  const { user } = await openPart(renderPanel(), { panel })
  await user.click(screen.getByRole('radio', { name: '1 h' }))

  await user.click(await screen.findByRole('button', { name: 'Show as table' }))

  const [, newest, older, ...others] = within(screen.getByRole('table')).getAllByRole('row')
  expect(newest?.textContent).toContain('30.00%30.00 MiB')
  expect(older?.textContent).toContain('10.00%10.00 MiB')
  expect(others).toEqual([])
})

test('a range without values shows a message', async () => {
  const panel = new FakePanel()
  panel.respond(getStatsHistory, past([null, null]))
  const { user } = await openPart(renderPanel(), { panel })

  await user.click(screen.getByRole('radio', { name: '1 y' }))

  expect(await screen.findByText('No data for this period.')).toBeDefined()
})

test('disk and network charts are shown when measured, otherwise a note', async () => {
  const points = [1, 2, 3].map((step) => ({
    timestamp: noon + step * 3_000,
    cpu: 1,
    memory: 2 ** 20,
    diskRead: 0,
    diskWrite: step * 2 ** 20,
  }))
  const history = points.reduce(appendPoint, emptyHistory(noon))

  await openPart(<StatsPanel server={server} history={history} isLive isOffline={false} />)

  expect(
    screen.getByRole('img', { name: 'Disk write: now 3.00 MiB/s, average 2.00 MiB/s, peak 3.00 MiB/s' }),
  ).toBeDefined()
  expect(screen.getByText('Network usage is not available: the server shares the network of its node.')).toBeDefined()
  expect(screen.queryByText(/^Disk usage is not available/)).toBeNull()
})

test('ranges include disk and network, and players where the game reports them', async () => {
  const panel = new FakePanel()
  const values = [null, 2 ** 20, 2 ** 20]
  panel.respond(getStatsHistory, {
    ...past([null, 10, 30]),
    networkIn: values,
    networkOut: values,
    players: [null, 3, 4],
    playersPeak: [null, 5, 9],
  })
  const { user } = await openPart(renderPanel(), { panel })

  await user.click(screen.getByRole('radio', { name: '24 h' }))

  expect(await screen.findByRole('img', { name: 'Network out: average 1.00 MiB/s, peak 1.00 MiB/s' })).toBeDefined()
  expect(screen.getByRole('img', { name: 'Players: average 3.5, peak 9' })).toBeDefined()
  expect(screen.getByText(/^Disk usage is not available/)).toBeDefined()
})

test('the uptime of each day is shown as bars, and as a table', async () => {
  const panel = new FakePanel()
  const fromMs = Date.UTC(2026, 8, 1)
  panel.respond(getUptime, { fromMs, days: [...Array(86).fill(null), 1, 0.9996, 0, 0.5] })
  const { user } = await openPart(renderPanel(), { panel })

  expect(await screen.findByRole('img', { name: 'Ran 62.4% of the last 4 days' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Show as table' }))

  const table = within(screen.getByRole('region', { name: 'Uptime' })).getByRole('table')
  const rows = within(table).getAllByRole('row').slice(1)
  expect(rows.map(({ textContent }) => textContent)).toEqual(['Nov 2950%', 'Nov 280%', 'Nov 2799.9%', 'Nov 26100%'])
})

test('an offline server has no values', async () => {
  await openPart(<StatsPanel server={server} history={emptyHistory(noon)} isLive isOffline />)

  expect(screen.getByText('No data while the server is offline.')).toBeDefined()
  expect(screen.getByRole('img', { name: 'CPU: now —, average —, peak —' })).toBeDefined()
})

test('arrow keys read the points of a chart, and highlight the same point in the others', async () => {
  const history = [30, 20, 10].reduce(
    (points, cpu, index) => appendPoint(points, { timestamp: noon + index * 3_000, cpu, memory: 2 ** 20 }),
    emptyHistory(noon),
  )
  const { user } = await openPart(<StatsPanel server={server} history={history} isLive isOffline={false} />)
  const slider = screen.getByRole('slider', { name: /^CPU/ })
  slider.focus()

  await user.keyboard('{ArrowLeft}')
  const newest = slider.getAttribute('aria-valuetext')
  await user.keyboard('{ArrowLeft}')

  expect(newest).toMatch(/^10\.00% at /)
  expect(slider.getAttribute('aria-valuetext')).toMatch(/^20\.00% at /)
  expect(screen.getByRole('slider', { name: /^Memory/ }).getAttribute('aria-valuenow')).toBe(
    slider.getAttribute('aria-valuenow'),
  )
  await user.keyboard('{Home}')
  expect(slider.getAttribute('aria-valuetext')).toMatch(/^No data at /)
})

test('past usage that could not be refreshed is marked', async () => {
  const panel = new FakePanel()
  panel.respond(getStatsHistory, past([null, 10, 30]))
  const { user } = await openPart(renderPanel(), { panel })
  await user.click(screen.getByRole('radio', { name: '24 h' }))
  await screen.findByRole('img', { name: 'CPU: average 20.00%, peak 30.00%' })
  panel.respond(getStatsHistory, new Refusal('ErrUnknownError'))

  await refocusWindow()

  await screen.findByText(/^Could not refresh/)
  screen.getByRole('img', { name: 'CPU: average 20.00%, peak 30.00%' })
})
