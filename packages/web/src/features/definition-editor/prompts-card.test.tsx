import { fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { toDefinition, toDraft } from './draft.ts'
import type { JsonObject } from './json-path.ts'
import { PromptsCard } from './prompts-card.tsx'
import { validateDefinition } from './validation.ts'

/** Renders the card of a definition; `edited` is what would be saved. */
async function openCard(initial: JsonObject) {
  const edited: { raw: JsonObject } = { raw: initial }
  function Page() {
    const [raw, setRaw] = useState(initial)
    edited.raw = toDefinition(toDraft(raw), initial)
    return <PromptsCard raw={raw} onChange={setRaw} issues={validateDefinition(edited.raw, 'template')} />
  }
  return { edited, ...(await openPart(<Page />)) }
}

const template = { type: 'game', name: 'x', data: {}, run: {} }

test('questions are added, changed and removed', async () => {
  const { user, edited } = await openCard(template)

  await user.click(screen.getByRole('button', { name: 'Add question' }))
  await user.click(screen.getByRole('button', { name: 'Add question' }))
  await user.click(screen.getByRole('combobox', { name: 'Question 2' }))
  await user.click(await screen.findByRole('option', { name: /another version of Java/ }))
  fireEvent.change(screen.getAllByRole('textbox', { name: /^Patterns of the console line/ })[1] as HTMLElement, {
    target: { value: '^needs java' },
  })
  fireEvent.change(screen.getAllByRole('textbox', { name: 'Variable with the answer' })[1] as HTMLElement, {
    target: { value: 'image' },
  })
  const both = edited.raw.prompts
  await user.click(screen.getByRole('button', { name: 'Remove question 1' }))

  expect(both).toEqual([{ type: 'eula' }, { type: 'javaVersion', patterns: ['^needs java'], variable: 'image' }])
  expect(edited.raw.prompts).toEqual([{ type: 'javaVersion', patterns: ['^needs java'], variable: 'image' }])
  await user.click(screen.getByRole('button', { name: 'Remove question 1' }))
  expect(edited.raw).toEqual(template)
})

test('what the form does not know is kept, and an empty pattern is left out', async () => {
  const { edited } = await openCard({
    ...template,
    prompts: [{ type: 'weather', patterns: ['rain', 'snow'], kept: 7 }],
  })
  const pattern = (at: number) => screen.getAllByRole('textbox', { name: /^Patterns of the console line/ })[at]

  expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Question 1' }).value).toBe('weather')
  fireEvent.change(pattern(1) as HTMLElement, { target: { value: '' } })

  expect(edited.raw.prompts).toEqual([{ type: 'weather', patterns: ['rain'], kept: 7 }])
})

test('an invalid pattern is an error', async () => {
  await openCard({ ...template, prompts: [{ type: 'eula', patterns: ['('] }] })

  expect(screen.getByText(/^Invalid regular expression/)).toBeDefined()
})
