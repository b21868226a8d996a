import { Refusal } from '@innkeeper/contract/errors/refusals'
import { downloadConsole, getConsoleHistory, searchConsole } from '@innkeeper/contract/servers/console-history'
import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { disableStrictMode } from '../../testing/strict-mode.ts'
import { HistoryPanel } from './history-panel.tsx'

const server = '0a0a0a0a'
const preferences = {
  wrap: false,
  timestamps: false,
  fontSize: 13,
  hidesDoubleTimes: false,
  sidebar: false,
  readAloud: false,
}
const noon = Date.UTC(2026, 10, 21, 12) / 1000

function parsePage(text: string, { from = 0, isOldest = true } = {}) {
  return { from, to: from + text.length, isOldest, logs: [{ from, epoch: noon, text }] }
}

async function openHistory(panel: FakePanel) {
  const onClose = vi.fn()
  const part = <HistoryPanel server={server} name="Lobby 1" preferences={preferences} onClose={onClose} />
  return { ...(await openPart(part, { panel })), onClose }
}

/** The pages that were requested, in order. */
const requestedPages = (panel: FakePanel) =>
  panel.requests(getConsoleHistory).map(({ query }) => query.get('before') ?? 'now')

test('the panel opens with the newest output and pages back and forth', async () => {
  disableStrictMode()
  const panel = new FakePanel()
  panel.respond(getConsoleHistory, parsePage('newest\n', { from: 500, isOldest: false }))
  const { user } = await openHistory(panel)
  await waitFor(() => expect(requestedPages(panel)).toEqual(['now']))

  await user.click(await screen.findByRole('button', { name: 'Older' }))
  await waitFor(() => expect(requestedPages(panel)).toEqual(['now', '500']))
  await user.click(await screen.findByRole('button', { name: 'Newer' }))

  expect((await screen.findByRole('button', { name: 'Newer' })).hasAttribute('disabled')).toBe(true)
})

test('a search lists lines, and a selected line is shown with its context', async () => {
  const panel = new FakePanel()
  panel.respond(getConsoleHistory, parsePage('before\nMara joined\nafter\n'))
  panel.respond(searchConsole, { found: [{ position: 7, epoch: noon, line: 'Mara joined' }] })
  const { user } = await openHistory(panel)

  await user.type(screen.getByRole('textbox', { name: 'Search the full history' }), 'mara{Enter}')
  await user.click(await screen.findByRole('button', { name: /Mara joined/ }))

  expect(await screen.findByRole('log')).toBeDefined()
  expect(requestedPages(panel).at(-1)).toMatch(/^\d+$/)
  await user.click(screen.getByRole('button', { name: 'Results' }))
  expect(await screen.findByText('1 line')).toBeDefined()
})

test('an incomplete search says so and can be continued', async () => {
  const panel = new FakePanel()
  panel.respond(getConsoleHistory, parsePage(''))
  panel.respond(searchConsole, { found: [], next: 1_000 })
  const { user } = await openHistory(panel)
  await user.type(screen.getByRole('textbox', { name: 'Search the full history' }), 'mara{Enter}')
  expect(await screen.findByText('No matches so far.')).toBeDefined()

  panel.respond(searchConsole, { found: [{ position: 3, epoch: noon, line: 'mara was here' }] })
  await user.click(screen.getByRole('button', { name: 'Search older output' }))

  expect(await screen.findByRole('button', { name: /mara was here/ })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Search older output' })).toBeNull()
  expect(panel.requests(searchConsole).at(-1)?.query.get('before')).toBe('1000')
})

test('Esc goes back one step at a time', async () => {
  const panel = new FakePanel()
  panel.respond(getConsoleHistory, parsePage('Mara joined\n'))
  panel.respond(searchConsole, { found: [{ position: 0, epoch: noon, line: 'Mara joined' }] })
  const { user, onClose } = await openHistory(panel)
  await user.type(screen.getByRole('textbox', { name: 'Search the full history' }), 'mara{Enter}')
  await user.click(await screen.findByRole('button', { name: /Mara joined/ }))
  await screen.findByRole('log')

  await user.keyboard('{Escape}')
  expect(await screen.findByText('1 line')).toBeDefined()
  await user.keyboard('{Escape}')

  expect(onClose).toHaveBeenCalledOnce()
})

test('the full history can be downloaded as a file named after the server', async () => {
  const panel = new FakePanel()
  panel.respond(getConsoleHistory, parsePage('newest\n'))
  panel.respond(downloadConsole, 'all of it')
  const createObjectURL = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:log')
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  const { user } = await openHistory(panel)

  await user.click(screen.getByRole('button', { name: 'Download the full history' }))

  await waitFor(() => expect(click).toHaveBeenCalledOnce())
  expect((click.mock.contexts[0] as HTMLAnchorElement).download).toMatch(/^Lobby-1-.*\.log$/)
  const [file] = createObjectURL.mock.calls[0] ?? []
  expect(file instanceof Blob && (await file.text())).toContain('all of it')
})

test('a failed download shows the error', async () => {
  const panel = new FakePanel()
  panel.respond(getConsoleHistory, parsePage('newest\n'))
  panel.respond(downloadConsole, new Refusal('ErrServiceNotAvailable'))
  const { user } = await openHistory(panel)

  await user.click(screen.getByRole('button', { name: 'Download the full history' }))

  expect(await screen.findByText('Service not available')).toBeDefined()
})

test('commands are shown with their sender', async () => {
  const panel = new FakePanel()
  panel.respond(getConsoleHistory, parsePage('[DAEMON] mara> op finn\nMade finn an operator\n'))
  await openHistory(panel)

  await waitFor(() => expect(screen.getByRole('log').textContent).toContain('mara> op finn'))
  expect(screen.getByRole('log').textContent).not.toContain('DAEMON')
})
