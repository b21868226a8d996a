import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../testing/workshop.ts'

let workshop: Workshop
beforeAll(async () => {
  workshop = await openWorkshop()
})
beforeEach(() => {
  workshop.said.splice(0)
})
afterAll(() => workshop[Symbol.asyncDispose]())

const restart = { type: 'power', action: 'restart' }

test('a line is typed into the server, with variables filled in', async () => {
  await workshop.run([{ type: 'stdin', command: 'save ${serverId}' }])

  expect(workshop.said).toEqual(['typed: save 0a1b2c3d'])
})

test('a task starts and ends its server, and waits unless it is told not to', async () => {
  const asked: unknown[] = []
  const power = async (action: string, isAwaited: boolean) => void asked.push([action, isAwaited])

  await workshop.run([restart, { type: 'power', action: 'kill', wait: 'false' }], { power })

  expect(asked).toEqual([
    ['restart', true],
    ['kill', false],
  ])
})

test('outside of tasks nothing starts and ends the server, and nothing is done before that is found', async () => {
  const steps = [{ type: 'stdin', command: 'bye' }, restart]

  expect(await workshop.failureOf(steps)).toContain('only tasks may start and stop the server')
  expect(workshop.said).toEqual([])
})

test('whoever runs a list hears of each step, and may end it there', async () => {
  const onMessage: number[] = []
  const onStep = (step: number) => {
    onMessage.push(step)
    if (step === 2) throw new Error('no further')
  }
  const type = (command: string) => ({ type: 'stdin', command })

  expect(await workshop.failureOf([type('a'), type('b'), type('c')], { onStep })).toBe('no further')

  expect(onMessage).toEqual([1, 2])
  expect(workshop.said).toEqual(['typed: a'])
})
