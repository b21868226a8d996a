import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { TextInput } from '@mantine/core'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { FakePanel } from '../testing/fake-panel.ts'
import { openPart } from '../testing/open-part.tsx'
import { SubmitDialog } from './form-dialogs.tsx'
import { draftKey, readDraft } from './use-stored-draft.ts'
import { useSubmitForm } from './use-submit-form.ts'

interface SampleProps {
  readonly send?: (name: string) => Promise<unknown>
  readonly onClose?: () => void
  readonly isGuarded?: boolean
}

function Sample({ send = async () => undefined, onClose = () => undefined, isGuarded = true }: SampleProps) {
  const form = useSubmitForm({
    id: 'sample',
    initialValues: { motd: '', name: '', password: '' },
    secrets: ['password'],
    isGuarded,
    fieldByCode: { ErrDuplicateServerName: 'name' },
    validate: (values) => (values.name === '' ? { name: 'Required' } : {}),
    send: (values) => send(values.name),
    onSaved: onClose,
  })
  return (
    <SubmitDialog form={form} title="Sample" action="Send" onClose={onClose}>
      <TextInput label="Motd" {...form.field('motd')} />
      <TextInput label="Name" {...form.field('name')} />
      <TextInput label="Password" {...form.field('password')} />
    </SubmitDialog>
  )
}

/** Opens the dialog, and a page behind it that stays. */
async function openSample(props: SampleProps = {}) {
  const panel = new FakePanel()
  panel.respond(getSelf, { id: 7, username: 'mara', email: 'mara@example.net', emailConfirmed: true })
  const onClose = vi.fn(props.onClose)
  return { ...(await openPart(<Sample {...props} onClose={onClose} />, { panel })), onClose }
}

const name = () => screen.getByLabelText<HTMLInputElement>('Name')
const submitButton = () => screen.getByRole('button', { name: 'Send' })

afterEach(() => sessionStorage.clear())

test('an invalid field gets the focus, and nothing is sent', async () => {
  const sent: string[] = []
  const { user } = await openSample({ send: async (value) => sent.push(value) })

  await user.click(submitButton())

  await screen.findByText('Required')
  expect(document.activeElement).toBe(name())
  expect(sent).toEqual([])
})

test('Ctrl+S sends the form, as in every other form', async () => {
  const sent: string[] = []
  const { user } = await openSample({ send: async (value) => sent.push(value) })

  await user.type(name(), 'lobby')
  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(sent).toEqual(['lobby']))
})

test('leaving an empty field shows no error', async () => {
  const { user } = await openSample({ send: async () => undefined })

  await user.click(name())
  await user.tab()

  expect(screen.queryByText('Required')).toBeNull()
})

test('an error about a field is shown there and focuses it, and the values stay', async () => {
  const send = () => Promise.reject(new Refusal('ErrDuplicateServerName'))
  const { user } = await openSample({ send })

  await user.type(name(), 'lobby')
  await user.click(submitButton())

  await waitFor(() => expect(name().getAttribute('aria-invalid')).toBe('true'))
  expect(document.activeElement).toBe(name())
  expect(name().value).toBe('lobby')
})

test('an error without a field is shown above the fields until the next attempt', async () => {
  const answers = [() => Promise.reject(new Refusal('ErrNodeInvalid')), async () => undefined]
  const { user } = await openSample({ send: () => answers.shift()?.() ?? Promise.resolve() })

  await user.type(name(), 'lobby{Enter}')
  const alert = await screen.findByRole('alert')
  const isAbove = alert.compareDocumentPosition(name()) & Node.DOCUMENT_POSITION_FOLLOWING
  await user.type(name(), '{Enter}')

  expect(alert.textContent).toBe('There is no such node')
  expect(isAbove).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
})

test('Enter pressed twice sends one request', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const sent: string[] = []
  const send = (value: string) => {
    sent.push(value)
    return promise
  }
  const { user } = await openSample({ send })

  await user.type(name(), 'lobby{Enter}{Enter}')

  expect(sent).toEqual(['lobby'])
  resolve()
})

const question = () => screen.findByRole('dialog', { name: 'Leave without saving?' })

test.each([
  ['Cancel', async (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Cancel' }))],
  ['Escape', async (user: UserEvent) => user.keyboard('{Escape}')],
  [
    'a click outside',
    async (user: UserEvent) => user.click(document.querySelector('.mantine-Modal-overlay') as Element),
  ],
])('%s asks before input is dropped', async (_, close) => {
  const { user, onClose } = await openSample()
  await user.type(name(), 'lobby')

  await close(user)
  await user.click(within(await question()).getByRole('button', { name: 'Cancel' }))
  expect(onClose).not.toHaveBeenCalled()
  expect(name().value).toBe('lobby')
  await close(user)
  await user.click(within(await question()).getByRole('button', { name: 'Discard changes' }))

  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
})

test('an untouched form closes without a question', async () => {
  const { user, onClose } = await openSample()

  await user.click(screen.getByRole('button', { name: 'Cancel' }))

  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
})

test('navigation asks before input is dropped, and not after it was sent', async () => {
  const { user, router, path } = await openSample()
  await user.type(name(), 'lobby')

  await act(() => router.navigate('/elsewhere'))
  await user.click(within(await question()).getByRole('button', { name: 'Cancel' }))
  expect(path()).toBe('/')
  await user.click(submitButton())
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Leave without saving?' })).toBeNull())
  await act(() => router.navigate('/elsewhere'))

  await screen.findByText('elsewhere')
})

test('choices that are not guarded are dropped without a question', async () => {
  const { user, onClose } = await openSample({ isGuarded: false })

  await user.type(name(), 'lobby')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))

  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
})

test('what was entered before the session ended is offered again, without secrets', async () => {
  const first = await openSample({ send: () => Promise.reject(new Refusal('ErrSessionTimedOut')) })
  await first.user.type(name(), 'lobby')
  await first.user.type(screen.getByLabelText('Password'), 'hunter22')
  await first.user.click(submitButton())
  await waitFor(() => expect(readDraft(draftKey(7, 'sample'))?.edits).toEqual({ name: 'lobby' }))
  cleanup()

  const { user } = await openSample()
  await user.click(await screen.findByRole('button', { name: 'Restore' }))

  expect(name().value).toBe('lobby')
  await user.click(submitButton())
  await waitFor(() => expect(readDraft(draftKey(7, 'sample'))).toBeUndefined())
})
