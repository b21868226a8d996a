import { getSelf } from '@innkeeper/contract/settings/panel'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { useCommands } from './use-commands.ts'

function Commands() {
  const { history, draft, setDraft, addToHistory } = useCommands('deadbeef')
  return (
    <>
      <input aria-label="Command" value={draft} onChange={(event) => setDraft(event.currentTarget.value)} />
      <button type="button" onClick={() => addToHistory(draft)}>
        Send
      </button>
      <output aria-label="Sent">{history.join()}</output>
    </>
  )
}

/** Renders the commands for a signed-in user. */
async function openAs(id: number) {
  const panel = new FakePanel()
  panel.respond(getSelf, { id, username: `user${id}`, email: `user${id}@example.net` })
  const page = await openPart(<Commands />, { panel })
  await waitFor(() => expect(panel.requests(getSelf).length).toBeGreaterThan(0))
  return {
    ...page,
    input: await screen.findByRole<HTMLInputElement>('textbox', { name: 'Command' }),
    sent: screen.getByRole('status', { name: 'Sent' }),
  }
}

/** Ends a session by timeout: the storage of the tab is kept. */
async function typeAndTimeOut(): Promise<void> {
  const { user, input } = await openAs(1)
  await user.type(input, 'login hunter22')
  await user.click(screen.getByRole('button', { name: 'Send' }))
  await user.type(input, '!')
  cleanup()
}

test('commands are kept for the same user after the session timed out', async () => {
  await typeAndTimeOut()

  const { input, sent } = await openAs(1)

  await waitFor(() => expect(input.value).toBe('login hunter22!'))
  expect(sent.textContent).toBe('login hunter22')
})

test('commands are not shown to another user in the same tab', async () => {
  await typeAndTimeOut()

  const { user, input, sent } = await openAs(2)
  await user.type(input, 'say hello')
  await user.click(screen.getByRole('button', { name: 'Send' }))

  expect(input.value).toBe('say hello')
  expect(sent.textContent).toBe('say hello')
})
