import { screen } from '@testing-library/dom'
import { expect, test } from 'vitest'
import { showStartFailure } from './start-failure.ts'

test('a page whose texts cannot be loaded says so and can be tried again, instead of staying white', () => {
  const root = document.body.appendChild(document.createElement('div'))

  showStartFailure(root)

  expect(screen.getByRole('alert').textContent).toContain('could not be loaded')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})
