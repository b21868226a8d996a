import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getSelf, getUserSettings } from '@innkeeper/contract/settings/panel'
import { PasswordInput, TextInput } from '@mantine/core'
import { act, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { Link } from 'react-router'
import { expect, test } from 'vitest'
import { FakePanel } from '../testing/fake-panel.ts'
import { openPart } from '../testing/open-part.tsx'
import { SaveBar } from './save-bar.tsx'
import { SaveForm } from './save-form.tsx'
import { type Edit, type Saved, type SaveFormOptions, useSaveForm } from './use-save-form.ts'

interface Values {
  readonly name: string
  readonly motd: string
  readonly password: string
}

/** The saved values of a fake server, and its responses. */
class Store {
  saved: Saved<Values> = { values: { name: 'lobby', motd: 'hello', password: '' }, version: '1' }
  readonly edits: Edit<Values>[] = []
  respond: () => Promise<unknown> = async () => undefined
  /** Renders with the values saved now. */
  refresh = () => {}

  change(values: Partial<Values>): void {
    this.saved = { values: { ...this.saved.values, ...values }, version: String(Number(this.saved.version) + 1) }
  }

  /** Delays the response to a save until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.respond = () => promise
    return resolve
  }
}

function Sample({ store, ...options }: { store: Store } & Partial<SaveFormOptions<Values>>) {
  const [, setTurn] = useState(0)
  store.refresh = () => act(() => setTurn((before) => before + 1))
  const form = useSaveForm<Values>({
    id: 'sample',
    saved: store.saved,
    reload: async () => store.saved,
    secrets: ['password'],
    getLabel: (field) => field,
    validate: ({ name }) => (name === '' ? { name: 'A name is needed' } : {}),
    send: async (edit) => {
      store.edits.push(edit)
      await store.respond()
      if (edit.version !== undefined && edit.version !== store.saved.version) throw new Refusal('ErrStaleVersion')
      store.change({ ...edit.changed, password: '' })
    },
    ...options,
  })
  return (
    <SaveForm form={form} aria-label="Sample">
      <TextInput label="Name" {...form.field('name')} />
      <TextInput label="Motd" {...form.field('motd')} />
      <PasswordInput label="Password" {...form.field('password')} />
      <SaveBar form={form} />
      <Link to="/elsewhere">Elsewhere</Link>
    </SaveForm>
  )
}

const name = () => screen.getByLabelText<HTMLInputElement>('Name')
const motd = () => screen.getByLabelText<HTMLInputElement>('Motd')

async function open(options: Partial<SaveFormOptions<Values>> = {}, panel = new FakePanel()) {
  const store = new Store()
  const page = await openPart(<Sample store={store} {...options} />, { panel })
  await screen.findByLabelText('Name')
  return { store, ...page }
}

test('Ctrl+S saves also when shortcuts are off', async () => {
  const panel = new FakePanel()
  panel.respond(getUserSettings, [{ key: 'shortcuts', value: 'off' }])
  const { store, user } = await open({}, panel)
  await waitFor(() => expect(panel.requests(getUserSettings)).not.toEqual([]))

  await user.type(name(), '1')
  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(store.edits).toHaveLength(1))
})

test('changes made during a save stay and are sent with the next one', async () => {
  const { store, user } = await open()
  const end = store.hold()
  await user.type(name(), '1')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await user.type(name(), '2')
  await user.type(motd(), '!')

  end()

  await waitFor(() => expect(screen.getByText('2 unsaved changes')).toBeTruthy())
  expect([name().value, motd().value]).toEqual(['lobby12', 'hello!'])
  store.respond = async () => undefined
  await user.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByText(/unsaved change/)).toBeNull())
  expect(store.edits.map(({ changed }) => changed)).toEqual([{ name: 'lobby1' }, { name: 'lobby12', motd: 'hello!' }])
})

test('Enter, a letter and Enter again send one request', async () => {
  const { store, user } = await open()
  const end = store.hold()

  await user.type(name(), '1{Enter}2{Enter}')

  end()
  await waitFor(() => expect(screen.getByText('1 unsaved change')).toBeTruthy())
  expect(store.edits).toHaveLength(1)
  expect(name().value).toBe('lobby12')
})

test('newer data replaces untouched fields and leaves edited ones', async () => {
  const { store, user } = await open()
  await user.type(name(), '1')

  store.change({ motd: 'bye' })
  store.refresh()

  await waitFor(() => expect(motd().value).toBe('bye'))
  expect(name().value).toBe('lobby1')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('an edited field that another user changed is shown with both versions before anything is saved', async () => {
  const { store, user } = await open()
  await user.type(name(), '1')

  store.change({ name: 'hall' })
  store.refresh()

  const notice = await screen.findByRole('alert')
  expect(within(notice).getByText('lobby1')).toBeTruthy()
  expect(within(notice).getByText('hall')).toBeTruthy()
  await user.keyboard('{Control>}s{/Control}')
  expect(store.edits).toHaveLength(0)
  await user.click(screen.getByRole('button', { name: 'Keep yours' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(store.saved.values.name).toBe('lobby1'))
})

test('a save over a version that the user has not seen is refused and shown with both versions', async () => {
  const { store, user } = await open()
  await user.type(name(), '1')
  store.change({ name: 'hall' })

  await user.click(screen.getByRole('button', { name: 'Save' }))

  expect(within(await screen.findByRole('alert')).getByText('hall')).toBeTruthy()
  expect(store.saved.values.name).toBe('hall')
  await user.click(screen.getByRole('button', { name: 'Use saved values' }))
  expect(name().value).toBe('hall')
  expect(screen.queryByText(/unsaved change/)).toBeNull()
})

test('what others changed after a save is seen by the next one, also if it was not read again', async () => {
  const { store, user } = await open({
    saved: { values: { name: 'lobby', motd: 'hello', password: '' }, version: '1' },
  })
  await user.type(name(), '1{Enter}')
  await waitFor(() => expect(screen.queryByText(/unsaved change/)).toBeNull())
  store.change({ name: 'hall' })

  await user.type(name(), '2{Enter}')

  expect(within(await screen.findByRole('alert')).getByText('hall')).toBeTruthy()
  expect(store.saved.values.name).toBe('hall')
})

test('a stale save is repeated when other fields were changed', async () => {
  const { store, user } = await open()
  await user.type(name(), '1')
  store.change({ motd: 'bye' })

  await user.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(store.saved.values).toMatchObject({ name: 'lobby1', motd: 'bye' }))
  expect(motd().value).toBe('bye')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('nothing is sent when the question before a save is declined, and what its answer sets is sent', async () => {
  const answers = [false, true]
  function Asking({ store }: { store: Store }) {
    const form = useSaveForm<Values>({
      saved: store.saved,
      getLabel: (field) => field,
      confirm: async () => {
        form.set({ motd: 'confirmed' })
        return answers.shift() ?? false
      },
      send: async (edit) => store.edits.push(edit),
    })
    return (
      <SaveForm form={form}>
        <TextInput label="Name" {...form.field('name')} />
        <SaveBar form={form} />
      </SaveForm>
    )
  }
  const store = new Store()
  const { user } = await openPart(<Asking store={store} />)
  await user.type(await screen.findByLabelText('Name'), '1{Enter}')
  expect(store.edits).toEqual([])

  await user.keyboard('{Enter}')

  await waitFor(() =>
    expect(store.edits.map(({ changed }) => changed)).toEqual([{ name: 'lobby1', motd: 'confirmed' }]),
  )
})

test('an error is shown at its field, which gets the focus, and disappears with the next letter', async () => {
  const { user } = await open()
  await user.clear(name())
  await user.type(motd(), '!')

  await user.click(screen.getByRole('button', { name: 'Save' }))

  expect(screen.getByText('A name is needed')).toBeTruthy()
  expect(document.activeElement).toBe(name())
  await user.type(name(), 'x')
  expect(screen.queryByText('A name is needed')).toBeNull()
})

test('leaving an edited field validates it; leaving an untouched one does not', async () => {
  const { user } = await open({ validate: () => ({ name: 'Wrong', motd: 'Wrong too' }) })
  await user.click(name())
  await user.tab()
  expect(screen.queryByText('Wrong')).toBeNull()

  await user.type(name(), 'x')
  await user.tab()

  expect(screen.getByText('Wrong')).toBeTruthy()
  expect(screen.queryByText('Wrong too')).toBeNull()
})

test('a refusal that names a field is shown at it, another one above the form with its details', async () => {
  const { store, user } = await open({ failure: 'Failed saving it' })
  store.respond = () => Promise.reject(new Refusal('ErrFieldTooLarge', { field: 'motd', max: 5 }))
  await user.type(motd(), '!{Enter}')
  expect(await screen.findByText('motd cannot be larger than 5')).toBeTruthy()
  await waitFor(() => expect(document.activeElement).toBe(motd()))

  store.respond = () => Promise.reject(new Refusal('ErrUnknownError'))
  await user.type(motd(), '!{Enter}')

  const alert = await screen.findByRole('alert')
  expect(within(alert).getByText('Failed saving it')).toBeTruthy()
  await user.click(within(alert).getByRole('button', { name: 'Details' }))
  expect(await screen.findByText('ErrUnknownError')).toBeTruthy()
})

test('an error that only a newer node knows is shown with its own message and code', async () => {
  const { store, user } = await open({ failure: 'Failed saving it' })
  const newer = { error: { code: 'ErrTooWindy', msg: 'Too windy: ${speed} m/s', metadata: { speed: 40 } } }
  store.respond = () => Promise.reject(refusalFrom(newer, 409))

  await user.type(motd(), '!{Enter}')

  const alert = await screen.findByRole('alert')
  expect(within(alert).getByText('Too windy: 40 m/s')).toBeTruthy()
  await user.click(within(alert).getByRole('button', { name: 'Details' }))
  expect(await screen.findByText('ErrTooWindy')).toBeTruthy()
})

test('leaving the page asks once, and keeps the changes unless they are discarded', async () => {
  const { user, path } = await open()
  await user.type(name(), '1')

  await user.click(screen.getByRole('link', { name: 'Elsewhere' }))
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(path()).toBe('/')
  expect(name().value).toBe('lobby1')
  expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false)

  await user.click(screen.getByRole('link', { name: 'Elsewhere' }))
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }))
  await waitFor(() => expect(path()).toBe('/elsewhere'))
  expect(Object.keys(sessionStorage).filter((key) => key.includes('.form.'))).toEqual([])
})

test('leaving an unchanged form does not ask', async () => {
  const { user, path } = await open()
  await user.type(name(), '1{Backspace}')

  await user.click(screen.getByRole('link', { name: 'Elsewhere' }))

  await waitFor(() => expect(path()).toBe('/elsewhere'))
})

/** The draft that a session which ended has left, as the form itself wrote it. */
async function draftLeftBy(id: number): Promise<void> {
  const panel = new FakePanel()
  panel.respond(getSelf, { id, username: 'mara', email: 'mara@example.net' })
  const { user, panel: asked } = await open({}, panel)
  await waitFor(() => expect(asked.requests(getSelf).length).toBeGreaterThan(0))
  await user.type(name(), '1')
  await user.type(screen.getByLabelText('Password'), 'hunter22')
  await waitFor(() => expect(sessionStorage.getItem(`innkeeper.form.${id}.sample`)).toContain('lobby1'))
  expect(Object.values(sessionStorage).join()).not.toContain('hunter22')
}

test('a draft is offered to the same user after the next sign-in, without its password', async () => {
  await draftLeftBy(1)
  document.body.innerHTML = ''

  const { user } = await open()

  expect(await screen.findByText('You have unsaved changes from an earlier session.')).toBeTruthy()
  expect(name().value).toBe('lobby')
  await user.click(screen.getByRole('button', { name: 'Restore' }))
  expect(name().value).toBe('lobby1')
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('')
  expect(screen.queryByText(/You have unsaved changes/)).toBeNull()
})

test('a draft is not offered to another user', async () => {
  await draftLeftBy(2)
  document.body.innerHTML = ''

  const { panel } = await open()

  await waitFor(() => expect(panel.requests(getSelf).length).toBeGreaterThan(0))
  await screen.findByLabelText('Name')
  expect(screen.queryByText(/You have unsaved changes/)).toBeNull()
})

test('a restored draft shows conflicts with changes of another user', async () => {
  await draftLeftBy(1)
  document.body.innerHTML = ''
  const store = new Store()
  store.change({ name: 'hall' })
  const { user } = await openPart(<Sample store={store} />)

  await user.click(await screen.findByRole('button', { name: 'Restore' }))

  const notice = await screen.findByRole('alert')
  expect(within(notice).getByText('lobby1')).toBeTruthy()
  expect(within(notice).getByText('hall')).toBeTruthy()
})

test('a discarded draft is removed', async () => {
  await draftLeftBy(1)
  document.body.innerHTML = ''
  const { user } = await open()

  await user.click(
    within((await screen.findByText(/You have unsaved changes/)).closest('[role]') as HTMLElement).getByRole('button', {
      name: 'Discard',
    }),
  )

  await waitFor(() => expect(sessionStorage.getItem('innkeeper.form.1.sample')).toBeNull())
  expect(name().value).toBe('lobby')
})

test('a password is empty again once it was saved', async () => {
  const { store, user } = await open()
  await user.type(screen.getByLabelText('Password'), 'hunter22{Enter}')

  await waitFor(() => expect(screen.queryByText(/unsaved change/)).toBeNull())

  expect(store.edits[0]?.changed).toEqual({ password: 'hunter22' })
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('')
})

test('Ctrl+S saves the form with the focus, and with the focus in none, each that was edited', async () => {
  const [first, second] = [new Store(), new Store()]
  const { user } = await openPart(
    <>
      <Sample store={first} id="first" />
      <section aria-label="Second">
        <Sample store={second} id="second" allowUnchanged validate={() => ({ motd: 'Not valid' })} />
      </section>
      <button type="button">Beside</button>
    </>,
  )
  const [firstName] = screen.getAllByLabelText<HTMLInputElement>('Name')
  await user.type(firstName as HTMLInputElement, '1')

  await user.keyboard('{Control>}s{/Control}')
  await waitFor(() => expect(first.edits).toHaveLength(1))
  await user.type(firstName as HTMLInputElement, '2')
  await user.click(screen.getByRole('button', { name: 'Beside' }))
  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(first.edits).toHaveLength(2))
  expect(screen.queryByText('Not valid')).toBeNull()
})

test('Ctrl+S in a dialog does not save the form behind it', async () => {
  const [behind, inDialog] = [new Store(), new Store()]
  const { user } = await openPart(
    <>
      <Sample store={behind} id="behind" />
      <div role="dialog" aria-label="Dialog">
        <Sample store={inDialog} id="dialog" />
        <button type="button">Beside</button>
      </div>
    </>,
  )
  const names = screen.getAllByLabelText<HTMLInputElement>('Name')
  for (const input of names) await user.type(input, '1')
  await user.click(screen.getByRole('button', { name: 'Beside' }))

  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(inDialog.edits).toHaveLength(1))
  expect(behind.edits).toHaveLength(0)
})
