import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { openWorkshop, type Workshop } from '../testing/workshop.ts'
import { checkSteps, StepError } from './steps.ts'

const test = base.extend<{ shop: Workshop }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  shop: async ({}, use) => {
    await using shop = await openWorkshop()
    await use(shop)
  },
})

const write = (target: string, condition?: string, text = '') => ({
  ...{ type: 'writefile', target, text },
  ...(condition !== undefined && { if: condition }),
})
const fail = (condition?: string) => ({
  ...{ type: 'mkdir', target: 'file/below' },
  ...(condition !== undefined && { if: condition }),
})
const made = (shop: Workshop) => readdirSync(shop.folder).toSorted()

describe('a step with a condition', () => {
  test('runs when it holds', async ({ shop }) => {
    shop.values.set('modlauncher', 'forge').set('game-version', '1.21')
    writeFileSync(join(shop.folder, 'there'), '')

    await shop.run([
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

    expect(made(shop)).toEqual(['a', 'c', 'd', 'f', 'g', 'h', 'i', 'there'])
  })

  test('is not validated when it does not hold, so that its fields may be empty', async ({ shop }) => {
    shop.values.set('javaversion', '')

    await shop.run([{ type: 'javadl', version: '${javaversion}', if: "javaversion != ''" }, write('after')])

    expect(made(shop)).toEqual(['after'])
  })

  test('must have a valid condition, before anything runs', async ({ shop }) => {
    const wrong = ['env ==', 'rm("x")', '"text"']

    for (const condition of wrong) {
      await expect(shop.run([write('first'), write('second', condition)])).rejects.toMatchObject({
        code: 'ErrFactoryError',
        message: expect.stringContaining('step 2: the condition'),
      })
    }
    expect(() => checkSteps([{ type: 'teleport', if: 'success' }], new Map())).toThrow("'teleport'")
    expect(made(shop)).toEqual([])
  })

  test('ends the list when it cannot be evaluated', async ({ shop }) => {
    const why = await shop.failureOf([write('a'), write('b', "missing == 'x'"), write('c')])

    expect(why).toContain(
      'Step 2 of 3 (writefile) failed: the condition "missing == \'x\'" cannot be evaluated: there is no variable missing',
    )
    expect(made(shop)).toEqual(['a'])
  })

  test('does not access files outside', async ({ shop }) => {
    expect(await shop.failureOf([write('a', 'file_exists("../../etc/passwd")')])).toContain('outside the folder')
  })
})

describe('after an error', () => {
  test('only steps run whose condition holds, and the list has failed', async ({ shop }) => {
    writeFileSync(join(shop.folder, 'file'), '')

    const running = shop.run([
      fail(),
      write('unconditional'),
      write('cleanup', '!success'),
      write('normal', 'success'),
      write('always', "env == 'host'"),
    ])

    await expect(running).rejects.toThrow(StepError)
    await expect(running).rejects.toMatchObject({ step: 1, type: 'mkdir' })
    expect(made(shop)).toEqual(['always', 'cleanup', 'file'])
    expect(shop.said).toContain(
      'Step 1 of 5 (mkdir) failed: A file or folder with this name already exists: /file/below',
    )
  })

  test('a second error is printed, and the first one is the reason', async ({ shop }) => {
    writeFileSync(join(shop.folder, 'file'), '')

    const why = await shop.failureOf([fail(), fail('!success'), write('a', 'missing'), write('b', '!success')])

    expect(why).toContain('Step 1 of 4')
    expect(shop.said.join('\n')).toContain('Step 2 of 4 (mkdir) failed')
    expect(shop.said.join('\n')).toContain(
      'Step 3 of 4 (writefile) failed: the condition "missing" cannot be evaluated',
    )
    expect(made(shop)).toEqual(['file'])
  })

  test('of a run, its steps run anyway, and conditions see it', async ({ shop }) => {
    shop.values.set('success', 'false')

    await shop.run([write('a'), write('b', 'success'), write('c', '!success')])

    expect(made(shop)).toEqual(['a', 'c'])
  })
})

describe('a variable that a step sets', () => {
  test('is visible to later steps of the list, in conditions and in fields', async ({ shop }) => {
    const libraries = join(shop.folder, 'libraries/net/minecraftforge/forge/1.20.1-47.2.0')
    mkdirSync(libraries, { recursive: true })
    writeFileSync(join(libraries, 'unix_args.txt'), '')

    await shop.run([
      { type: 'resolveforgeversion', outputVariable: 'found' },
      write('a', "found == '1.20.1-47.2.0'", 'version ${found}'),
      { type: 'command', commands: ['touch of-${found}'] },
    ])

    expect(readFileSync(join(shop.folder, 'a'), 'utf8')).toBe('version 1.20.1-47.2.0')
    expect(existsSync(join(shop.folder, 'of-1.20.1-47.2.0'))).toBe(true)
  })

  test('does not lead out of the directory later', async ({ shop }) => {
    const setVariable = async (name: string) => void shop.values.set(name, '../../out')
    shop.host.give('/net/minecraftforge/forge/1-2/forge-1-2-installer.jar', 'x')

    const why = await shop.failureOf(
      [{ type: 'forgedl', version: '1-2', outputVariable: 'where' }, write('${where}')],
      { setVariable },
    )

    expect(why).toContain('outside the folder')
  })
})

describe('a sleep step', () => {
  test.for([
    ['1ms', 'Waiting: 1 ms'],
    ['0.01s', 'Waiting: 10 ms'],
    [2_000_000, 'Waiting: 2 ms'],
    ['0', 'Waiting: 0 ms'],
  ] as const)('waits for %s', async ([duration, said], { shop }) => {
    await shop.run([{ type: 'sleep', duration }])

    expect(shop.said).toEqual([said])
  })

  test.for(['soon', '-1s', '48h', ''])('does not wait for %s', async (duration, { shop }) => {
    await expect(shop.run([{ type: 'sleep', duration }])).rejects.toMatchObject({ code: 'ErrFactoryError' })
  })

  test('can be aborted', async ({ shop }) => {
    const giveUp = new AbortController()
    const enough = new Error('enough')

    const running = shop.run([{ type: 'sleep', duration: '10m' }], { signal: giveUp.signal })
    giveUp.abort(enough)

    await expect(running).rejects.toBe(enough)
  })
})

test('a console step prints its message, with variables, on one line', async ({ shop }) => {
  shop.values.set('name', 'you\n[DAEMON] Server installed')

  await shop.run([{ type: 'console', message: 'hello ${name}' }, { type: 'console' }])

  expect(shop.said).toEqual(['Message: hello you [DAEMON] Server installed', 'Message:'])
})

test('a dockerpull step does nothing outside containers', async ({ shop }) => {
  await shop.run([{ type: 'dockerpull', imageName: 'debian' }])

  expect(shop.said).toEqual(['No image to pull: this server does not run in a container'])
})
