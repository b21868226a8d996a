import { Template } from '@innkeeper/contract/definitions/definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { deletePlan, getPlan, listPlans, Plan, putPlan } from '@innkeeper/contract/orders/plans'
import { getTemplate, listTemplates } from '@innkeeper/contract/templates/templates'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../../testing/fake-panel.ts'
import { openPart } from '../../../testing/open-part.tsx'
import { aNodeChoice } from '../../../testing/samples.ts'
import { PlansCard } from './plans-card.tsx'

const templateName = 'minecraft-vanilla'
const template = Template.parse({
  name: templateName,
  display: 'Minecraft',
  type: 'minecraft-java',
  environment: { type: 'standard' },
  data: {
    memory: { type: 'integer', value: 1024, display: 'Memory' },
    motd: { type: 'string', value: 'Hello', display: 'Message of the day' },
  },
})
const small = Plan.parse({
  template: templateName,
  limits: { memory: 4096, cpu: 200, disk: 20_480 },
  ports: 2,
  backups: { last: 7 },
  variables: { motd: 'Small' },
  labels: ['eu'],
})

async function open(plans: Readonly<Record<string, Plan>> = {}) {
  const panel = new FakePanel()
  const stored = new Map(Object.entries(plans))
  panel.respond(listPlans, () => ({ plans: [...stored].map(([name, plan]) => ({ name, plan })) }))
  const nameOf = ({ path }: { readonly path: string }) => path.replace('/api/plans/', '')
  panel.respond(getPlan, (request) => stored.get(nameOf(request)) ?? new Refusal('ErrNotFound'))
  panel.respond(putPlan, (request) => void stored.set(nameOf(request), Plan.parse(request.body)))
  panel.respond(deletePlan, (request) => void stored.delete(nameOf(request)))
  panel.setVersion(getPlan, putPlan, () => JSON.stringify([...stored]).length.toString())
  panel.respond(listTemplates, [
    { name: templateName, display: 'Minecraft', type: template.type, supportedEnvironments: [], servers: 0 },
  ])
  panel.respond(getTemplate, template)
  panel.respond(listNodeChoices, [aNodeChoice({ id: 3, name: 'Frankfurt' })])
  return { ...(await openPart(<PlansCard id="plans" />, { panel })), stored }
}

const findDialog = async (name: string) => within(await screen.findByRole('dialog', { name }))

test('a plan is added with limits, values of its template, ports, backups and labels', async () => {
  const { user, stored } = await open()
  await screen.findByText('No plans yet')

  await user.click(screen.getByRole('button', { name: 'Add plan' }))
  const dialog = await findDialog('Add plan')
  await user.type(dialog.getByRole('textbox', { name: 'Plan ID' }), 'minecraft-4g')
  await user.click(await dialog.findByRole('combobox', { name: 'Template' }))
  await user.click(await screen.findByRole('option', { name: 'Minecraft' }))
  await user.type(dialog.getByRole('textbox', { name: 'Memory (MiB)' }), '4096')
  await user.click(await dialog.findByRole('combobox', { name: 'Settings with a value of the plan' }))
  await user.click(await screen.findByRole('option', { name: 'Memory' }))
  const memory = await dialog.findByRole('textbox', { name: 'Memory' })
  await user.clear(memory)
  await user.type(memory, '3500')
  await user.type(dialog.getByRole('textbox', { name: 'Number of ports' }), '2')
  await user.type(dialog.getByRole('textbox', { name: 'Extra ports' }), '0')
  await user.click(dialog.getByRole('switch', { name: /^Set which backups are kept/ }))
  const kept = dialog.getByRole('textbox', { name: 'Newest' })
  await user.clear(kept)
  await user.type(kept, '5')
  await user.type(dialog.getByRole('combobox', { name: 'Only nodes with all these labels' }), 'eu{Enter}')
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(stored.get('minecraft-4g')).toEqual(
    Plan.parse({
      template: templateName,
      limits: { memory: 4096 },
      ports: 2,
      extraPorts: 0,
      backups: { last: 5 },
      graceDays: 7,
      labels: ['eu'],
      variables: { memory: 3500 },
    }),
  )
  await screen.findByText('4.00 GiB of memory and 2 ports')
})

test('an ID that is taken or not valid, and a plan without a template, are not sent', async () => {
  const { user, panel } = await open({ small })
  await screen.findByText('small')

  await user.click(screen.getByRole('button', { name: 'Add plan' }))
  const dialog = await findDialog('Add plan')
  await user.type(dialog.getByRole('textbox', { name: 'Plan ID' }), 'small')
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  expect(await dialog.findByText('Another plan has this ID.')).toBeDefined()
  await user.type(dialog.getByRole('textbox', { name: 'Plan ID' }), ' Two')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await dialog.findByText(/^Use lowercase letters/)
  expect(panel.requests(putPlan)).toEqual([])
})

test('a plan is changed without losing what was not edited, and goes to a node', async () => {
  const { user, stored } = await open({ small })

  await user.click(await screen.findByRole('button', { name: 'Edit small' }))
  const dialog = await findDialog('Edit small')
  await user.click(await dialog.findByRole('combobox', { name: 'Node' }))
  await user.click(await screen.findByRole('option', { name: 'Frankfurt' }))
  await user.clear(dialog.getByRole('textbox', { name: 'CPU (percent of one core)' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(stored.get('small')).toEqual({ ...small, limits: { memory: 4096, disk: 20_480 }, node: 3, labels: [] })
})

test('a plan that somebody else has changed is not overwritten', async () => {
  const { user, stored } = await open({ small })
  await user.click(await screen.findByRole('button', { name: 'Edit small' }))
  const dialog = await findDialog('Edit small')
  const disk = await dialog.findByRole('textbox', { name: 'Disk (MiB)' })
  stored.set('small', { ...small, limits: { ...small.limits, disk: 99_999_999 } })

  await user.clear(disk)
  await user.type(disk, '10240')
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await dialog.findByText('99999999')
  expect(stored.get('small')?.limits.disk).toBe(99_999_999)
})

test('a plan is deleted after a question', async () => {
  const { user, stored } = await open({ small })

  await user.click(await screen.findByRole('button', { name: 'Delete small' }))
  const dialog = await findDialog('Delete small?')
  await user.click(dialog.getByRole('button', { name: 'Delete' }))

  await screen.findByText('No plans yet')
  expect([...stored]).toEqual([])
})
