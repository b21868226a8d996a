import { fireEvent, screen, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { emulatePhone } from '../../testing/open-part.tsx'
import { openServerPage } from './testing/fake-panel.tsx'

test('output is shown with its colors, and lines of the daemon are marked', async () => {
  const { waitUntilLive, printOutput } = await openServerPage()
  await waitUntilLive()

  await printOutput('[DAEMON] Server is online\r\n\x1b[31mhello\x1b[0m <b>you</b>\n')

  const log = within(screen.getByRole('log', { name: 'Console output' }))
  expect(log.getByText('DAEMON')).toBeDefined()
  expect(log.getByText('hello').style.color).toBe('var(--ik-ansi-red)')
  expect(log.getByText('<b>you</b>', { exact: false })).toBeDefined()
})

test('a command is sent over the socket, shown with its author, and recalled with the arrow key', async () => {
  const { waitUntilLive, user, socket, printOutput } = await openServerPage()
  await waitUntilLive()
  const field = await screen.findByRole('textbox', { name: 'Command' })

  await user.type(field, 'say hello{Enter}')
  await printOutput('[DAEMON] mara> say hello\n')
  await user.type(field, 'sa{ArrowUp}')
  const walked = (field as HTMLInputElement).value
  await user.type(field, '{ArrowDown}')

  expect(socket().getSent('console')).toEqual([{ type: 'console', command: 'say hello' }])
  expect(await within(screen.getByRole('log')).findByText('say hello')).toBeDefined()
  expect(walked).toBe('say hello')
  expect((field as HTMLInputElement).value).toBe('sa')
})

test('the command field of an offline server is disabled but focusable, and shows what to do', async () => {
  const { waitUntilLive, user } = await openServerPage({ state: 'offline' })
  await waitUntilLive()

  const field = await screen.findByPlaceholderText('Start the server to send commands')
  await user.keyboard('ci')
  const focused = document.activeElement
  await user.type(field, 'list')

  expect(focused).toBe(field)
  expect(field.getAttribute('aria-disabled')).toBe('true')
  expect((field as HTMLInputElement).value).toBe('')
})

test('without permission to send commands the console is view-only', async () => {
  const { waitUntilLive } = await openServerPage({ permissions: { viewServerConsole: true } })
  await waitUntilLive()

  expect(screen.getByText('View only')).toBeDefined()
  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
})

test('a paused console keeps its lines and counts new ones', async () => {
  const { waitUntilLive, user, printOutput } = await openServerPage()
  await waitUntilLive()
  await printOutput('before\n')

  await user.keyboard('cp')
  await printOutput('one\ntwo\n')
  const resume = await screen.findByRole('button', { name: 'Resume (2 new lines)' })
  const whilePaused = screen.queryByText('two')
  await user.click(resume)

  expect(whilePaused).toBeNull()
  expect(await screen.findByText('two')).toBeDefined()
})

test('Ctrl+F in the console goes to the newest match while typing, and Enter steps back', async () => {
  const { waitUntilLive, user, printOutput } = await openServerPage()
  await waitUntilLive()
  await printOutput('Ardwen joined\nnobody\nardwen left\n')

  screen.getByRole('log').focus()
  await user.keyboard('{Control>}f{/Control}')
  await user.keyboard('ardwen')
  const newest = await screen.findByText('2 of 2')
  await user.keyboard('{Enter}')

  expect(newest).toBeDefined()
  expect(await screen.findByText('1 of 2')).toBeDefined()
})

test('during an install the command field does not ask to start the server', async () => {
  const { waitUntilLive } = await openServerPage({ state: 'installing' })
  await waitUntilLive()

  expect(await screen.findByPlaceholderText('Commands can be sent once the server is running')).toBeDefined()
})

test('an empty console says to start the server only while it is off', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage()
  await waitUntilLive()

  expect(await screen.findByText('No output yet.')).toBeDefined()
  reportStatus('offline')
  expect(await screen.findByText('No output yet. Start the server to see it here.')).toBeDefined()
})

test('a search in a long console does not block typing, and finds everything', async () => {
  const { waitUntilLive, user, printOutput } = await openServerPage()
  await waitUntilLive()
  await printOutput('Ardwen joined the game\n'.repeat(3_000))
  screen.getByRole('log').focus()
  await user.keyboard('{Control>}f{/Control}')
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Find in console' })
  // The clock is always beyond the time of a slice: each slice ends at its first look at the clock.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (clockTime += 100))
  let clockTime = 0
  onTestFinished(() => clock.mockRestore())

  fireEvent.change(field, { target: { value: 'ardwen' } })
  const early = field.value
  const isDoneAtOnce = screen.queryByText('3,000 of 3,000') !== null

  expect([early, isDoneAtOnce]).toEqual(['ardwen', false])
  expect(await screen.findByText('3,000 of 3,000')).toBeDefined()
})

test('times in the console follow the locale', async () => {
  const { waitUntilLive, printOutput } = await openServerPage()
  await waitUntilLive()
  await printOutput('hello\n')

  const time = (await screen.findByText('hello')).closest('[data-line]')?.querySelector('time')

  expect(time?.textContent).toMatch(/^\w+ \d+, \d{1,2}:\d{2}:\d{2}\s[AP]M$/)
})

test('on a phone the terminal is in the menu of the console', async () => {
  onTestFinished(emulatePhone())
  const { waitUntilLive, reportStatus, user } = await openServerPage()
  await waitUntilLive()
  reportStatus('online', { hasTerminal: true })

  await user.click(screen.getByRole('button', { name: 'More console options' }))

  expect(await screen.findByRole('menuitem', { name: 'Show the terminal' })).toBeDefined()
  expect(screen.queryByRole('radiogroup', { name: 'Console view' })).toBeNull()
})

test('only a server on a terminal has a switch to it', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage()
  await waitUntilLive()
  const onPipes = screen.queryByRole('radiogroup', { name: 'Console view' })

  reportStatus('online', { hasTerminal: true })

  expect(onPipes).toBeNull()
  expect(within(screen.getByRole('radiogroup', { name: 'Console view' })).getAllByRole('radio')).toHaveLength(2)
})
