import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { openWorkshop, type StepFixture } from '../testing/step-fixture.ts'
import { checkSteps, StepError } from './steps.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    await use(fixture)
  },
})

const write = (target: string, condition?: string, text = '') => ({
  type: 'writefile',
  target,
  text,
  ...(condition !== undefined && { if: condition }),
})
const fail = (condition?: string) => ({
  type: 'mkdir',
  target: 'file/below',
  ...(condition !== undefined && { if: condition }),
})
const made = (fixture: StepFixture) => readdirSync(fixture.folder).toSorted()

describe('a step with a condition', () => {
  test('runs when it holds', async ({ fixture }) => {
    fixture.values.set('modlauncher', 'forge').set('game-version', '1.21')
    writeFileSync(join(fixture.folder, 'there'), '')

    await fixture.run([
      write('a', "env == 'host' && os == 'linux'"),
      write('b', "env == 'docker'"),
      write('c', "modlauncher == 'forge' && game-version == '1.21'"),
      write('d', 'file_exists("/there")'),
      write('e', 'file_exists("nowhere")'),
      write('f', 'in_path("sh") && !in_path("no-such-program")'),
      write('g', ''),
      write('h', 'success'),
      write('i', "serverId == '0a1b2c3d'"),
    ])

    expect(made(fixture)).toEqual(['a', 'c', 'd', 'f', 'g', 'h', 'i', 'there'])
  })

  test('is not validated when it does not hold, so that its fields may be empty', async ({ fixture }) => {
    fixture.values.set('javaversion', '')

    await fixture.run([{ type: 'javadl', version: '${javaversion}', if: "javaversion != ''" }, write('after')])

    expect(made(fixture)).toEqual(['after'])
  })

  test('must have a valid condition, before anything runs', async ({ fixture }) => {
    const wrong = ['env ==', 'rm("x")', '"text"']

    for (const condition of wrong) {
      await expect(fixture.run([write('first'), write('second', condition)])).rejects.toMatchObject({
        code: 'ErrFactoryError',
        message: expect.stringContaining('step 2: the condition'),
      })
    }
    expect(() => checkSteps([{ type: 'teleport', if: 'success' }], new Map())).toThrow("'teleport'")
    expect(made(fixture)).toEqual([])
  })

  test('ends the list when it cannot be evaluated', async ({ fixture }) => {
    const why = await fixture.getFailure([write('a'), write('b', "missing == 'x'"), write('c')])

    expect(why).toContain(
      'Step 2 of 3 (writefile) failed: the condition "missing == \'x\'" cannot be evaluated: there is no variable missing',
    )
    expect(made(fixture)).toEqual(['a'])
  })

  test('does not access files outside', async ({ fixture }) => {
    expect(await fixture.getFailure([write('a', 'file_exists("../../etc/passwd")')])).toContain(
      'outside the server folder',
    )
  })
})

describe('after an error', () => {
  test('only steps run whose condition holds, and the list has failed', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'file'), '')

    const running = fixture.run([
      fail(),
      write('unconditional'),
      write('cleanup', '!success'),
      write('normal', 'success'),
      write('always', "env == 'host'"),
    ])

    await expect(running).rejects.toThrow(StepError)
    await expect(running).rejects.toMatchObject({ step: 1, type: 'mkdir' })
    expect(made(fixture)).toEqual(['always', 'cleanup', 'file'])
    expect(fixture.messages).toContain(
      'Step 1 of 5 (mkdir) failed: A file or folder with this name already exists: /file/below',
    )
  })

  test('with continueOnError is named and does not end the list', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'file'), '')

    await fixture.run([{ ...fail(), continueOnError: true }, write('a'), write('b', 'success')])

    expect(made(fixture)).toEqual(['a', 'b', 'file'])
    expect(fixture.messages.join('\n')).toContain('Step 1 of 3 (mkdir) failed')
  })

  test('a second error is printed, and the first one is the reason', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'file'), '')

    const why = await fixture.getFailure([fail(), fail('!success'), write('a', 'missing'), write('b', '!success')])

    expect(why).toContain('Step 1 of 4')
    expect(fixture.messages.join('\n')).toContain('Step 2 of 4 (mkdir) failed')
    expect(fixture.messages.join('\n')).toContain(
      'Step 3 of 4 (writefile) failed: the condition "missing" cannot be evaluated',
    )
    expect(made(fixture)).toEqual(['file'])
  })

  test('of a run, its steps run anyway, and conditions see it', async ({ fixture }) => {
    fixture.values.set('success', 'false')

    await fixture.run([write('a'), write('b', 'success'), write('c', '!success')])

    expect(made(fixture)).toEqual(['a', 'c'])
  })
})

describe('a variable that a step sets', () => {
  test('is visible to later steps of the list, in conditions and in fields', async ({ fixture }) => {
    const libraries = join(fixture.folder, 'libraries/net/minecraftforge/forge/1.20.1-47.2.0')
    mkdirSync(libraries, { recursive: true })
    writeFileSync(join(libraries, 'unix_args.txt'), '')

    await fixture.run([
      { type: 'resolveforgeversion', outputVariable: 'found' },
      write('a', "found == '1.20.1-47.2.0'", 'version ${found}'),
      { type: 'command', commands: ['touch of-${found}'] },
    ])

    expect(readFileSync(join(fixture.folder, 'a'), 'utf8')).toBe('version 1.20.1-47.2.0')
    expect(existsSync(join(fixture.folder, 'of-1.20.1-47.2.0'))).toBe(true)
  })

  test('does not lead out of the directory later', async ({ fixture }) => {
    const setVariable = async (name: string) => void fixture.values.set(name, '../../out')
    fixture.host.give('/net/minecraftforge/forge/1-2/forge-1-2-installer.jar', 'x')

    const why = await fixture.getFailure(
      [{ type: 'forgedl', version: '1-2', outputVariable: 'where' }, write('${where}')],
      { setVariable },
    )

    expect(why).toContain('outside the server folder')
  })
})

describe('a sleep step', () => {
  test.for([
    ['1ms', 'Waiting: 1 ms'],
    ['0.01s', 'Waiting: 10 ms'],
    [2_000_000, 'Waiting: 2 ms'],
    ['0', 'Waiting: 0 ms'],
  ] as const)('waits for %s', async ([duration, messages], { fixture }) => {
    await fixture.run([{ type: 'sleep', duration }])

    expect(fixture.messages).toEqual([messages])
  })

  test.for(['soon', '-1s', '48h', ''])('does not wait for %s', async (duration, { fixture }) => {
    await expect(fixture.run([{ type: 'sleep', duration }])).rejects.toMatchObject({ code: 'ErrFactoryError' })
  })

  test('can be aborted', async ({ fixture }) => {
    const aborting = new AbortController()
    const enough = new Error('enough')

    const running = fixture.run([{ type: 'sleep', duration: '10m' }], { signal: aborting.signal })
    aborting.abort(enough)

    await expect(running).rejects.toBe(enough)
  })
})

test('a console step prints its message, with variables, on one line', async ({ fixture }) => {
  fixture.values.set('name', 'you\n[DAEMON] Server installed')

  await fixture.run([{ type: 'console', message: 'hello ${name}' }, { type: 'console' }])

  expect(fixture.messages).toEqual(['Message: hello you [DAEMON] Server installed', 'Message:'])
})

test('a dockerpull step does nothing outside containers', async ({ fixture }) => {
  await fixture.run([{ type: 'dockerpull', imageName: 'debian' }])

  expect(fixture.messages).toEqual(['No image to pull: this server does not run in a container'])
})
