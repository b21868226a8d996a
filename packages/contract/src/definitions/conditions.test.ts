import { describe, expect, test } from 'vitest'
import {
  conditionProblem,
  type EvaluationContext,
  evaluate,
  evaluateOrTrue,
  evaluateSync,
  firstMatching,
  PlayersUnknownError,
} from './conditions.ts'

const values = new Map(
  Object.entries({
    javaversion: '21',
    modlauncher: 'forge',
    version: '',
    forgebuild: '1.20.1-47.2.0',
    backup: 'true',
    dedicated: 'False',
    memory: '2048',
    ratio: '1.5',
    'game-version': '1.21',
    game: '10',
    '7days': 'yes',
    os: 'mine',
    words: 'neither',
    size: '3',
    true: 'x',
  }),
)

const ground: EvaluationContext = {
  values,
  env: 'host',
  os: 'linux',
  arch: 'amd64',
  serverId: '0a1b2c3d',
  success: true,
  fileExists: (path) => ['server.jar', 'forge-1.20.1-47.2.0.jar'].includes(path.replace(/^\//, '')),
  inPath: async (name) => name === 'java',
}

describe('a condition', () => {
  test.each([
    'version.contains("1") || modlauncher.indexOf("or") > 0 || modlauncher.split("r")[0] == "fo"',
    'int(javaversion) > 8 && double(ratio) > 1.0 && string(21) == javaversion && bool(backup)',
    'modlauncher.upperAscii().lowerAscii().trim().substring(0, 3).size() == 3 && words.endsWith("er")',
  ])('%s may call these functions', async (text) => {
    expect(conditionProblem(text, values.keys())).toBeUndefined()
    expect(await evaluate(text, ground)).toBe(true)
  })
  test.each([
    ["env == 'host'", true],
    ["env == 'docker'", false],
    ["javaversion != '' && env == 'host'", true],
    ["os == 'linux' && arch == 'arm64'", false],
    ["os == 'windows'", false],
    ["version == ''", true],
    ['modlauncher == "forge" || modlauncher == "fabric"', true],
    ['!file_exists("server.properties")', true],
    ['file_exists("/server.jar")', true],
    ["file_exists('forge-' + forgebuild + '.jar')", true],
    ['in_path("java") && !in_path("node22")', true],
    ['success', true],
    ['serverId == "0a1b2c3d"', true],
    ['backup', true],
    ['!dedicated', true],
    ['backup && version == ""', true],
    ['version', false],
    ['backup == true', true],
    ["backup == 'true'", true],
    ['memory >= 2048', true],
    ["memory == '2048'", true],
    ['memory / 2 > 1000', true],
    ['ratio > 1.2', true],
    ['javaversion == 21', true],
    ['modlauncher == 21', false],
    ['javaversion in [17, 21]', true],
    ['modlauncher in ["forge", "neoforge"]', true],
    ['javaversion > version', true],
    ['forgebuild.startsWith("1.20")', true],
    ['size(forgebuild) == 13', true],
    ['size == 3 && size(forgebuild) > size', true],
    ['true', true],
    ['ratio > 1 && memory < 4096.5', true],
    ["game-version == '1.21'", true],
    ['game - 3 == 7', true],
    ["7days == 'yes'", true],
    ["env == 'host' ? backup : dedicated", true],
    ['"game-version" == \'game-version\'', true],
    ['  backup\n', true],
  ])('%s is %s', async (text, expected) => {
    expect(conditionProblem(text, values.keys())).toBeUndefined()
    expect(await evaluate(text, ground)).toBe(expected)
  })

  test.each([
    ['env =', 'cannot be evaluated'],
    ['env == "host', 'cannot be evaluated'],
    ['rm("x")', 'no function "rm"'],
    ['1 + 1', 'neither true nor false'],
    ['"text"', 'neither true nor false'],
    ['modlauncher.matches("(a+)+$")', 'no function "matches"'],
    ['[modlauncher.matches("(a+)+$")][0]', 'no function "matches"'],
    ['{"a": modlauncher.matches(words)}.a', 'no function "matches"'],
    ['["a", "b"].join("c") == "x"', 'no function "join"'],
    ['cel.bind(a, "x", a + a) == "xx"', 'no function "bind"'],
    ['has({"a": 1}.a)', 'no function "has"'],
    ['file_exists(1)', "'file_exists(int)'"],
    [`${'!'.repeat(1000)}backup`, 'cannot be evaluated'],
    ['x'.repeat(3000), 'more than 2000 characters'],
  ])('%s is rejected with the reason', async (text, reason) => {
    expect(conditionProblem(text, values.keys())).toContain(reason)
    await expect(evaluate(text, ground)).rejects.toThrow(reason)
  })

  test.each([
    ['missing == "x"', 'there is no variable missing'],
    ['words', 'the variable words is "neither", which is neither true nor false'],
    ['words > 3', 'cannot be evaluated'],
    ['modlauncher + "x"', 'neither true nor false'],
  ])('%s cannot be evaluated', async (text, reason) => {
    await expect(evaluate(text, ground)).rejects.toThrow(reason)
  })

  test('that needs a missing function throws, and others are evaluated synchronously', () => {
    const { fileExists: _, ...blind } = ground

    expect(evaluateSync("env == 'host'", blind)).toBe(true)
    expect(() => evaluateSync('file_exists("x")', blind)).toThrow('file_exists is not available here')
    expect(() => evaluateSync("env == 'host'", { values })).toThrow('there is no variable env')
  })

  test('that cannot be evaluated or is invalid counts as true for display', () => {
    const conditions = [
      undefined,
      null,
      ' ',
      'backup',
      'dedicated',
      "env == 'host'",
      'file_exists("x")',
      'backup &&',
      'words',
    ]

    expect(conditions.filter((text) => !evaluateOrTrue(text, { values }))).toEqual(['dedicated'])
  })

  test('that is empty is valid', () => {
    expect(['', '  '].map((text) => conditionProblem(text))).toEqual([undefined, undefined])
  })

  test('rethrows an error of a context function', async () => {
    const broken: EvaluationContext = { ...ground, fileExists: () => Promise.reject(new Error('the disk is gone')) }

    await expect(evaluate('file_exists("x")', broken)).rejects.toThrow('the disk is gone')
  })
})

describe('who plays', () => {
  const holds = (text: string, playing: EvaluationContext['playing'], more: object = {}) => {
    try {
      return evaluateSync(text, { ...ground, ...(playing && { playing }), ...more })
    } catch (error) {
      if (error instanceof PlayersUnknownError) return 'unknown'
      throw error
    }
  }
  const unknown = { players: undefined, quietMinutes: undefined }

  test.each([
    ['players == 0', true, false, 'unknown'],
    ['players > 0', false, true, 'unknown'],
    ['!(players > 0)', true, false, 'unknown'],
    ['players != 0', false, true, 'unknown'],
    ['quietMinutes >= 30', true, false, 'unknown'],
    ['quietMinutes < 30', false, true, 'unknown'],
    ["env == 'host' || players == 0", true, true, 'unknown'],
    ["env == 'docker' && players == 0", false, false, 'unknown'],
    ['players < game', true, true, 'unknown'],
    ['players + 1 <= ratio', true, false, 'unknown'],
    ["env == 'host'", true, true, true],
  ] as const)('%s: while it is quiet %s, while two play %s, while the game does not answer %s', (text, ...expected) => {
    const facts = [{ players: 0, quietMinutes: 45 }, { players: 2, quietMinutes: 0 }, unknown]

    expect(conditionProblem(text, values.keys())).toBeUndefined()
    expect(facts.map((playing) => holds(text, playing))).toEqual(expected)
  })

  test('a variable of the same name is used outside of tasks only', () => {
    const more = { values: new Map([['players', '8']]) }

    expect(holds('players == 8', undefined, more)).toBe(true)
    expect(holds('players == 8', { players: 0, quietMinutes: 0 }, more)).toBe(false)
    expect(holds('players == 8', unknown, more)).toBe('unknown')
    expect(() => holds('players == 8', undefined)).toThrow('players')
  })
})

test('firstMatching returns the first entry with a true condition, else the first without one', async () => {
  const entries = [
    { command: 'otherwise' },
    { if: "env == 'docker'", command: 'contained' },
    { if: "modlauncher == 'forge'", command: 'forge' },
    { if: '', command: 'never' },
  ]

  expect(await firstMatching(entries, ground)).toMatchObject({ command: 'forge' })
  expect(await firstMatching(entries, { ...ground, values: new Map([['modlauncher', 'none']]) })).toMatchObject({
    command: 'otherwise',
  })
  expect(await firstMatching(entries.slice(1, 2), ground)).toBeUndefined()
})

const digits = '[0,1,2,3,4,5,6,7,8,9]'

/** Nests a macro: without a bound, each level multiplies the time by ten. */
function nested(macro: (inner: string, variable: string) => string, levels: number): string {
  return Array.from({ length: levels }).reduce<string>((inner, _, level) => macro(inner, `x${level}`), 'true')
}

describe('the time a condition takes is bounded', () => {
  test.each([
    ['all', (inner: string, x: string) => `${digits}.all(${x}, ${inner})`],
    ['exists', (inner: string, x: string) => `${digits}.exists(${x}, !${inner})`],
    ['exists_one', (inner: string, x: string) => `${digits}.exists_one(${x}, ${inner})`],
    ['map', (inner: string, x: string) => `${digits}.map(${x}, ${inner}) == []`],
    ['map', (inner: string, x: string) => `${digits}.map(${x}, ${inner}, ${x}) == []`],
    ['filter', (inner: string, x: string) => `${digits}.filter(${x}, ${inner}) == []`],
  ])('by rejecting the macro %s, also when nested', async (name, macro) => {
    for (const levels of [1, 2, 8]) {
      const text = nested(macro, levels)
      const began = performance.now()

      expect(conditionProblem(text)).toContain(`no function "${name}"`)
      await expect(evaluate(text, ground)).rejects.toThrow(`no function "${name}"`)
      expect(evaluateOrTrue(text, ground)).toBe(true)

      expect(performance.now() - began).toBeLessThan(200)
    }
  })

  test.each([
    ['long == ""', 65_537],
    ['long + long == ""', 32_769],
    ['long.contains("b")', 4_097],
    ['"b" == long.split("b")[0]', 4_097],
  ])('%s is rejected for longer values', (text, length) => {
    const of = (characters: number) => ({ values: new Map([['long', 'a'.repeat(characters)]]) })

    expect(evaluateSync(text, of(length - 1))).toBe(false)
    expect(() => evaluateSync(text, of(length))).toThrow('its variables exceed')
  })
})
