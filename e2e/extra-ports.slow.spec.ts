import { accessibilityViolations } from './testing/accessibility.ts'
import { Api } from './testing/api.ts'
import { expect, firstAdmin, test } from './testing/fixtures.ts'
import { controlsOutside, sidewaysScroll } from './testing/layout.ts'

const name = 'A server whose name has forty characters'

test('an administrator allows extra ports and takes one, on a phone too', async ({ adminPage: page, installation }) => {
  const admin = await Api.signIn(installation.url, firstAdmin)
  await admin.put('/api/nodes/0/ports', { ranges: [{ address: '0.0.0.0', from: 43_200, to: 43_210 }] })
  const data = { port: { value: '43200' }, voiceport: { display: 'Voice port', value: '24454' } }
  const { id } = (await admin.post('/api/servers', { name, type: 'game', run: { command: 'cat' }, data })) as {
    id: string
  }
  await page.goto(`${installation.url}/server/${id}?tab=settings`)
  const card = page.getByRole('region', { name: 'Extra ports' })

  await card.getByRole('button', { name: 'Change limit' }).press('Enter')
  await page.getByRole('textbox', { name: 'Highest number' }).fill('2')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(card.getByText('0 of 2 taken')).toBeVisible()
  await card.getByRole('button', { name: 'Take a port' }).press('Enter')
  await page
    .getByRole('textbox', { name: 'Note' })
    .fill('Voice chat with a note that is as long as it can be, for all the friends who play here every day')
  await page.getByRole('combobox', { name: 'Write its number into' }).click()
  await page.getByRole('option', { name: 'Voice port' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take a port' }).click()

  await expect(card.getByText(':43201')).toBeVisible()
  await expect(card.getByText('1 of 2 taken')).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  await expect(card.getByText(':43201')).toBeVisible()
  expect(await sidewaysScroll(page)).toEqual(0)
  expect(await controlsOutside(page)).toEqual([])
  await card.getByRole('button', { name: 'Give port 43201 back' }).click()
  await page.getByRole('button', { name: 'Give back' }).click()
  await expect(card.getByText('0 of 2 taken')).toBeVisible()
})
