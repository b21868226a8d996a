import { Template } from '@innkeeper/contract/definition'
import { expect, test } from 'vitest'
import { type Draft, emptyDraft } from './draft.ts'
import { isOpenToProposal, placeAfter, withPlace } from './proposal.ts'

const templateWith = (port: string | number) =>
  Template.parse({ name: 'x', type: 'x', run: {}, data: { ip: { value: '0.0.0.0' }, port: { value: port } } })
const template = templateWith(25_565)
const place = { address: '10.0.0.7', port: 7000 }
const typed = (values: Draft['values']): Draft => ({ ...emptyDraft, values })

test.each([
  ['nothing was typed', emptyDraft, template, true],
  ['a port was typed', typed({ port: '1' }), template, false],
  ['an address was typed', typed({ ip: '10.0.0.1' }), template, false],
  ['the template has no port', emptyDraft, Template.parse({ name: 'x', type: 'x', run: {}, data: {} }), false],
  ['the template wants none unless told', emptyDraft, templateWith(0), false],
  ['one was proposed for this node', withPlace(emptyDraft, template, 0, place), template, false],
  ['one was proposed for another node', withPlace(emptyDraft, template, 3, place), template, true],
] as const)('when %s, whether a port is proposed: %#', (_, draft, from, expected) => {
  expect(isOpenToProposal(draft, from, 0)).toBe(expected)
})

test('what was proposed for another node and then changed stays', () => {
  const draft = withPlace(emptyDraft, template, 3, place)

  expect(isOpenToProposal({ ...draft, values: { ...draft.values, port: '1' } }, template, 0)).toBe(false)
})

test('a place comes in as the template holds it', () => {
  expect(withPlace(emptyDraft, template, 0, place).values).toEqual({ ip: '10.0.0.7', port: 7000 })
  expect(withPlace(emptyDraft, templateWith('1'), 0, place).values.port).toBe('7000')
})

test('after the last free place comes the first again', () => {
  const free = [place, { ...place, port: 7001 }]
  const after = (port: number) => placeAfter(free, { ip: '', port })?.port

  expect([after(1), after(7000), after(7001)]).toEqual([7000, 7001, 7000])
  expect(placeAfter([], { ip: '', port: 1 })).toBeUndefined()
})
