import { cronProblem } from '@innkeeper/contract/jobs/cron'
import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { CronEditor } from './cron-editor.tsx'

/** Shows the edited expression in an `output`. */
function Form({ initial }: { initial: string }) {
  const [cron, setCron] = useState(initial)
  const isValid = cron === '' || cronProblem(cron) === undefined
  return (
    <>
      <CronEditor value={cron} onChange={setCron} isValid={isValid} timezone="Asia/Tokyo" />
      <output>{cron}</output>
    </>
  )
}

async function openEditor(initial: string) {
  const { user } = await openPart(<Form initial={initial} />)
  await screen.findByRole('tablist')
  const cron = () => document.querySelector('output')?.textContent
  const go = (mode: string) => user.click(screen.getByText(mode))
  const fill = async (name: string, value: string) => {
    const field = screen.getByLabelText(name)
    await user.clear(field)
    await user.type(field, value)
  }
  return { user, cron, go, fill }
}

test('each change formats the expression again, and another mode keeps what it can represent', async () => {
  const { user, cron, go, fill } = await openEditor('30 6 ? * 1,4')
  const expressions = [cron()]
  const then = async (change: Promise<void>) => {
    await change
    expressions.push(cron())
  }

  await then(user.click(screen.getByText('Monday')))
  await then(user.click(screen.getByText('Sunday')))
  await then(go('Monthly'))
  await then(fill('On day', '15'))
  await then(go('Hourly'))
  await then(fill('Every … hours', '8'))
  await then(fill('At minute', '5'))
  await then(go('Daily'))
  await then(fill('Hour', '0'))
  await then(go('Hourly'))
  await then(go('Weekly'))
  await then(go('Advanced'))

  expect(expressions).toEqual([
    '30 6 ? * 1,4',
    '30 6 ? * 4',
    '30 6 ? * 0,4',
    '30 6 1 */1 ?',
    '30 6 15 */1 ?',
    '30 */6 * * ?',
    '30 */8 * * ?',
    '5 */8 * * ?',
    '5 8 */1 * ?',
    '5 0 */1 * ?',
    '5 */1 * * ?',
    '5 1 ? * 0',
    '5 1 ? * 0',
  ])
})

test('a number out of range is clamped, which is shown on blur', async () => {
  const { user, cron, fill } = await openEditor('30 6 */1 * ?')

  await fill('Hour', '99')
  await user.tab()

  expect(cron()).toBe('30 23 */1 * ?')
  expect(screen.getByLabelText<HTMLInputElement>('Hour').value).toBe('23')
})

test('the schedule is described, with the next five runs in its time zone', async () => {
  await openEditor('30 6 ? * 1,4')

  const times = within(screen.getByRole('list', { name: 'Next (Asia/Tokyo):' })).getAllByText(/, 6:30\sAM$/)

  expect(await screen.findByText('Mondays and Thursdays at 6:30 AM')).toBeDefined()
  expect(times).toHaveLength(5)
  expect(times.every((time) => /^(Mon|Thu), /.test(time.textContent ?? ''))).toBe(true)
})

test('runs every few seconds are shown with seconds', async () => {
  await openEditor('*/10 * * * * *')

  const list = within(screen.getByRole('list', { name: 'Next (Asia/Tokyo):' }))

  expect(list.getAllByText(/:\d\d:\d0\s[AP]M$/)).toHaveLength(5)
})

test('an invalid expression has an error and no next runs', async () => {
  const { go, fill } = await openEditor('0 4 */1 * ?')

  await go('Advanced')
  await fill('Cron expression', 'soon')

  expect(screen.getByText('Task Schedule Invalid')).toBeDefined()
  expect(screen.getByLabelText('Cron expression').getAttribute('aria-invalid')).toBe('true')
  expect(screen.queryByRole('list')).toBeNull()
})
