import { getSelf } from '@innkeeper/contract/panel'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { useCommands } from './use-commands.ts'

function Commands() {
  const { history, draft, type, remember } = useCommands('deadbeef')
  return (
    <>
      <input aria-label="Command" value={draft} onChange={(event) => type(event.currentTarget.value)} />
      <button type="button" onClick={() => remember(draft)}>
        Send
      </button>
      <output aria-label="Sent">{history.join()}</output>
    </>
  )
}

/** The commands in this tab, before a person who logged in. */
async function openAs(id: number) {
  const panel = new FakePanel()
  panel.answer(getSelf, { id, username: `user${id}`, email: `user${id}@example.net` })
  const page = await openPart(<Commands />, { panel })
  await waitFor(() => expect(panel.asked(getSelf).length).toBeGreaterThan(0))
  return {
    ...page,
    input: await screen.findByRole<HTMLInputElement>('textbox', { name: 'Command' }),
    sent: screen.getByRole('status', { name: 'Sent' }),
  }
}

/** A session that timed out: the tab and its storage stay. */
async function typeAndTimeOut(): Promise<void> {
  const { user, input } = await openAs(1)
  await user.type(input, 'login hunter22')
  await user.click(screen.getByRole('button', { name: 'Send' }))
  await user.type(input, '!')
  cleanup()
}

test('commands stay for the same person after a session that timed out', async () => {
  await typeAndTimeOut()

  const { input, sent } = await openAs(1)

  await waitFor(() => expect(input.value).toBe('login hunter22!'))
  expect(sent.textContent).toBe('login hunter22')
})

test('commands are not shown to the next person in the same tab', async () => {
  await typeAndTimeOut()

  const { user, input, sent } = await openAs(2)
  await user.type(input, 'say hello')
  await user.click(screen.getByRole('button', { name: 'Send' }))

  expect(input.value).toBe('say hello')
  expect(sent.textContent).toBe('say hello')
})
