import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorkshop, type StepFixture } from '../../testing/step-fixture.ts'

let stepFixture: StepFixture
beforeAll(async () => {
  stepFixture = await openWorkshop()
})
beforeEach(() => {
  stepFixture.messages.splice(0)
})
afterAll(() => stepFixture[Symbol.asyncDispose]())

const restart = { type: 'power', action: 'restart' }

test("a line is written to the server's stdin, with variables", async () => {
  await stepFixture.run([{ type: 'stdin', command: 'save ${serverId}' }])

  expect(stepFixture.messages).toEqual(['typed: save 0a1b2c3d'])
})

test('a task starts and stops its server, and waits unless told otherwise', async () => {
  const actions: unknown[] = []
  const power = async (action: string, isAwaited: boolean) => void actions.push([action, isAwaited])

  await stepFixture.run([restart, { type: 'power', action: 'kill', wait: 'false' }], { power })

  expect(actions).toEqual([
    ['restart', true],
    ['kill', false],
  ])
})

test.for([restart, { type: 'backup' }])('outside of tasks $type is rejected, before anything runs', async (step) => {
  const steps = [{ type: 'stdin', command: 'bye' }, step]

  expect(await stepFixture.getFailure(steps)).toContain('only tasks may contain this step')
  expect(stepFixture.messages).toEqual([])
})

test('the callback of each step can end the list', async () => {
  const onMessage: number[] = []
  const onStep = (step: number) => {
    onMessage.push(step)
    if (step === 2) throw new Error('no further')
  }
  const type = (command: string) => ({ type: 'stdin', command })

  expect(await stepFixture.getFailure([type('a'), type('b'), type('c')], { onStep })).toBe('no further')

  expect(onMessage).toEqual([1, 2])
  expect(stepFixture.messages).toEqual(['typed: a'])
})
