import { screen } from '@testing-library/dom'
import { expect, test } from 'vitest'
import { showStartFailure } from './start-failure.ts'

test('a page whose texts do not load shows an error with Retry instead of a white page', () => {
  const root = document.body.appendChild(document.createElement('div'))

  showStartFailure(root)

  expect(screen.getByRole('alert').textContent).toContain('could not be loaded')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})
