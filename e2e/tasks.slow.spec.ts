import type { Page } from '@playwright/test'
import { createServer, expect, test } from './testing/fixtures.ts'

/** A server that echoes its input, and crashes on `boom`. */
const fragile = 'while read -r line; do test "$line" = boom && exit 3; echo "heard $line"; done'

test('tasks run manually, every minute, every second and after a crash, and continue after a restart of Innkeeper', async ({
  adminPage: page,
  installation,
  allowPageErrors,
}) => {
  test.setTimeout(240_000)
  allowPageErrors(/ERR_CONNECTION_REFUSED|WebSocket connection/)
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: fragile } })
  await page.goto(`${installation.url}/server/${id}`)
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByText('Online').first()).toBeVisible()
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })

  await test.step('create a task that runs every minute', async () => {
    await page.keyboard.press('t')
    await page.keyboard.press('t')
    await expect(page.getByText('No tasks yet.')).toBeVisible()
    await createTask(page, 'Look around')
    await schedule(page, '* * * * *')
    await expect(page.getByText('Every minute')).toBeVisible()
    await addStep(page, 'Run commands', /^Commands/, 'echo another minute')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(row('Look around')).toContainText('Every minute')
  })

  await test.step('create a manual task that crashes the server', async () => {
    await createTask(page, 'Break it')
    await addStep(page, 'Send a console command', 'Command', 'boom')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(row('Break it')).toContainText('Manual only')
  })

  await test.step('create a task that runs after a crash', async () => {
    await createTask(page, 'Pick up the pieces')
    await page.getByRole('checkbox', { name: 'When the server crashes' }).check()
    await addStep(page, 'Create a folder', 'Target', 'pieces')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(row('Pick up the pieces')).toContainText('When the server crashes')
    await page.getByRole('button', { name: 'Run Break it now' }).click()
    await expect(row('Break it')).toContainText('Done')
    // While no task runs, the list polls at a longer interval.
    await expect(row('Pick up the pieces')).toContainText('Done', { timeout: 30_000 })
    await expect(page.getByText('Crashed').first()).toBeVisible()
  })

  await test.step('create a task that runs every second, and read the output of its runs', async () => {
    await createTask(page, 'Tick')
    await schedule(page, '* * * * * *')
    await expect(page.getByText('Every second')).toBeVisible()
    await addStep(page, 'Run commands', /^Commands/, 'echo another second')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(row('Tick')).toContainText('Done')
    await page.getByRole('button', { name: 'History of Tick' }).click()
    const runs = page.getByRole('list', { name: 'History of Tick' })
    await expect(runs).toContainText('On schedule')
    await runs.getByText('printed').first().click()
    await expect(runs).toContainText('another second')
    await page.keyboard.press('Escape')
  })

  await test.step('after a crash of Innkeeper all tasks exist and continue', async () => {
    await installation.stop('SIGKILL')
    await installation.start()
    await page.reload()
    await expect(row('Break it')).toContainText('Done')
    await expect(row('Pick up the pieces')).toContainText('Done')
    const since = Date.now()
    await page.getByRole('button', { name: 'History of Tick' }).click()
    const last = page.getByRole('list', { name: 'History of Tick' }).locator('time').first()
    await expect.poll(async () => Date.parse((await last.getAttribute('datetime')) ?? '')).toBeGreaterThan(since)
    await page.keyboard.press('Escape')
  })

  await test.step('the task of every minute has run', async () => {
    await expect(row('Look around')).toContainText('Done', { timeout: 75_000 })
    await page.getByRole('button', { name: 'History of Look around' }).click()
    const runs = page.getByRole('list', { name: 'History of Look around' })
    await expect(runs).toContainText('On schedule')
    await expect(runs).toContainText('another minute')
  })
})

/** Switches the schedule on and writes it by hand. */
async function schedule(page: Page, expression: string): Promise<void> {
  await page.getByRole('switch', { name: 'Enable schedule' }).check()
  await page.getByRole('tab', { name: 'Advanced' }).click()
  await page.getByRole('textbox', { name: 'Cron expression' }).fill(expression)
}

/** Opens the dialog of a new task and names it. */
async function createTask(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add task' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
}

/** Adds the first step of a task, with the one field that it needs. */
async function addStep(page: Page, type: string, field: string | RegExp, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Add step' }).click()
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: type }).click()
  await page.getByRole('textbox', { name: field }).fill(value)
}
