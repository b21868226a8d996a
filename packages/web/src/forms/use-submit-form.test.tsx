import { Refusal } from '@innkeeper/contract/refusals'
import { TextInput } from '@mantine/core'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../testing/open-part.tsx'
import { SubmitForm } from './submit-form.tsx'
import { useSubmitForm } from './use-submit-form.ts'

interface SampleProps {
  readonly send: (name: string) => Promise<unknown>
}

function Sample({ send }: SampleProps) {
  const form = useSubmitForm({
    initialValues: { motd: '', name: '' },
    fieldByCode: { ErrDuplicateServerName: 'name' },
    validate: ({ name }) => (name === '' ? { name: 'Required' } : {}),
    send: ({ name }) => send(name),
  })
  return (
    <SubmitForm form={form}>
      <TextInput label="Motd" {...form.field('motd')} />
      <TextInput label="Name" {...form.field('name')} />
      <button type="submit">Send</button>
    </SubmitForm>
  )
}

const name = () => screen.getByLabelText<HTMLInputElement>('Name')
const submitButton = () => screen.getByRole('button', { name: 'Send' })

test('an invalid field gets the focus, and nothing is sent', async () => {
  const sent: string[] = []
  const { user } = await openPart(<Sample send={async (value) => sent.push(value)} />)

  await user.click(submitButton())

  await screen.findByText('Required')
  expect(document.activeElement).toBe(name())
  expect(sent).toEqual([])
})

test('Ctrl+S sends the form, as in every other form', async () => {
  const sent: string[] = []
  const { user } = await openPart(<Sample send={async (value) => sent.push(value)} />)

  await user.type(name(), 'lobby')
  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(sent).toEqual(['lobby']))
})

test('leaving an empty field shows no error', async () => {
  const { user } = await openPart(<Sample send={async () => undefined} />)

  await user.click(name())
  await user.tab()

  expect(screen.queryByText('Required')).toBeNull()
})

test('an error about a field is shown there and focuses it, and the values stay', async () => {
  const send = () => Promise.reject(new Refusal('ErrDuplicateServerName'))
  const { user } = await openPart(<Sample send={send} />)

  await user.type(name(), 'lobby')
  await user.click(submitButton())

  await waitFor(() => expect(name().getAttribute('aria-invalid')).toBe('true'))
  expect(document.activeElement).toBe(name())
  expect(name().value).toBe('lobby')
})

test('an error without a field is shown above the fields until the next attempt', async () => {
  const answers = [() => Promise.reject(new Refusal('ErrNodeInvalid')), async () => undefined]
  const { user } = await openPart(<Sample send={() => answers.shift()?.() ?? Promise.resolve()} />)

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
  const { user } = await openPart(<Sample send={send} />)

  await user.type(name(), 'lobby{Enter}{Enter}')

  expect(sent).toEqual(['lobby'])
  resolve()
})
