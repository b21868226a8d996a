import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { Alert } from './alert.tsx'

test('a screen reader announces errors, and other messages only if they ask for it', async () => {
  await openPart(
    <>
      <Alert type="warning">Copy the codes now</Alert>
      <Alert type="error">The name is taken</Alert>
      <Alert type="success" role="status">
        The email was sent
      </Alert>
    </>,
  )

  expect(screen.getByRole('note').textContent).toBe('Copy the codes now')
  expect(screen.getByRole('alert').textContent).toBe('The name is taken')
  expect(screen.getByRole('status').textContent).toBe('The email was sent')
})
