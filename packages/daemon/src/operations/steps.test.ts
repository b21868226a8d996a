import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { test as base, describe, expect } from 'vitest'
import { openWorkshop, type StepFixture } from '../testing/step-fixture.ts'
import { RegexWorker } from './context/replace.ts'
import { checkSteps, StepError } from './steps.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    await use(fixture)
  },
})

const write = (target: string, text = 'x') => ({ type: 'writefile', target, text })

describe('a list of steps', () => {
  test('runs in order, with variables', async ({ fixture }) => {
    fixture.values.set('port', '27015').set('folder', 'cfg')

    await fixture.run([
      { type: 'mkdir', target: '/${folder}/deep' },
      write('${folder}/deep/server.cfg', 'port=${port}\nhome=$HOME ${unknown}'),
      { type: 'command', commands: ['cat ${folder}/deep/server.cfg'] },
    ])

    expect(fixture.messages).toEqual([
      'Creating folder: /cfg/deep',
      'Writing file: /cfg/deep/server.cfg',
      'Executing: cat cfg/deep/server.cfg',
      '> port=27015',
      '> home=$HOME ${unknown}',
    ])
  })

  test('escapes values so that each stays one value of the file', async ({ fixture }) => {
    fixture.values.set('name', 'a "b" & <c> \\').set('motd', '\\u00a7cHi\\')
    writeFileSync(join(fixture.folder, 'server.properties'), 'motd=x\nrcon.password=secret\n')

    await fixture.run([
      { ...write('a.json', '{"name":"${name}","${other}":1}'), escape: 'json' },
      { ...write('a.xml', '<a name="${name}"/>'), escape: 'xml' },
      {
        type: 'alterfile',
        file: 'server.properties',
        search: '^motd=.*$',
        replace: 'motd=${motd}',
        escape: 'properties',
      },
      write('plain', '${name}'),
    ])

    const text = (name: string) => readFileSync(join(fixture.folder, name), 'utf8')
    expect(JSON.parse(text('a.json'))).toEqual({ name: 'a "b" & <c> \\', '${other}': 1 })
    expect(text('a.xml')).toBe('<a name="a &#34;b&#34; &#38; &#60;c&#62; \\"/>')
    expect(text('server.properties')).toBe('motd=\\u00a7cHi\\\\\nrcon.password=secret\n')
    expect(text('plain')).toBe('a "b" & <c> \\')
  })

  test('never writes a value that the file format cannot represent, and shows which one', async ({ fixture }) => {
    fixture.values.set('name', 'hi"\nrcon_password "pwned').set('how', 'quoted')

    const quoted = fixture.run([{ ...write('panel.cfg', 'hostname "${name}"'), escape: 'quoted' }])
    await expect(quoted).rejects.toMatchObject({ code: 'ErrFactoryError', message: /name must be one line/ })
    const filledIn = fixture.run([{ ...write('panel.cfg', 'hostname "${name}"'), escape: '${how}' }])
    await expect(filledIn).rejects.toMatchObject({ code: 'ErrFactoryError', message: /escape is not valid/ })

    expect(readdirSync(fixture.folder)).toEqual([])
  })

  test('changes configuration files with escaped values, and creates missing ones', async ({ fixture }) => {
    fixture.values.set('port', '27015').set('name', 'a "b"\nadmin: true')
    writeFileSync(join(fixture.folder, 'a.yml'), 'name: x # n\nport: 1\n')
    const edit = (file: string, format: string, changes: unknown[]) => ({ type: 'editconfig', file, format, changes })
    const [name, port] = [
      { path: 'name', value: '${name}' },
      { path: 'port', value: '${port}' },
    ]

    await fixture.run([
      edit('a.yml', 'yaml', [name, port]),
      edit('cfg/b.json', 'json', [name, port]),
      edit('c.ini', 'ini', [name, port]),
      edit('d.cfg', 'file', [port]),
    ])

    const text = (file: string) => readFileSync(join(fixture.folder, file), 'utf8')
    expect(text('a.yml')).toBe('name: "a \\"b\\"\\nadmin: true" # n\nport: 27015\n')
    expect(JSON.parse(text('cfg/b.json'))).toEqual({ name: 'a "b"\nadmin: true', port: 27015 })
    expect(text('c.ini')).toBe('port=27015\n')
    expect(existsSync(join(fixture.folder, 'd.cfg'))).toBe(false)
    expect(fixture.messages).toEqual([
      'Changing file: /a.yml',
      'Changing file: /cfg/b.json',
      '/c.ini: name was not changed: the value must be one line',
      'Changing file: /c.ini',
    ])
  })

  test('leaves a configuration file that it cannot read as it is, says why and goes on', async ({ fixture }) => {
    const changes = [{ path: 'a', value: 'b' }]
    writeFileSync(join(fixture.folder, 'bad.json'), '{"a": ')
    writeFileSync(join(fixture.folder, 'latin.ini'), Buffer.from('n=\xe9\na=1\n', 'latin1'))
    writeFileSync(join(fixture.folder, 'wide.ini'), Buffer.from('\uFEFFn=\u00e9\r\na=1\r\n', 'utf16le'))
    mkdirSync(join(fixture.folder, 'folder'))
    symlinkSync('/etc', join(fixture.folder, 'out'))

    await fixture.run([
      { type: 'editconfig', file: 'bad.json', format: 'json', changes },
      { type: 'editconfig', file: 'folder', format: 'ini', changes },
      { type: 'editconfig', file: 'out/x.ini', format: 'ini', changes },
      { type: 'editconfig', file: 'latin.ini', format: 'ini', changes },
      { type: 'editconfig', file: 'wide.ini', format: 'ini', changes },
    ])

    expect(readFileSync(join(fixture.folder, 'bad.json'), 'utf8')).toBe('{"a": ')
    expect(readFileSync(join(fixture.folder, 'latin.ini'), 'latin1')).toBe('n=\xe9\na=b\n')
    expect(readFileSync(join(fixture.folder, 'wide.ini'), 'utf16le')).toBe('\uFEFFn=\u00e9\r\na=b\r\n')
    expect(existsSync('/etc/x.ini')).toBe(false)
    expect(fixture.messages.map((message) => message.split(': ')[0])).toEqual([
      '/bad.json was left as it is',
      '/folder was left as it is',
      '/out/x.ini was left as it is',
      'Changing file',
      'Changing file',
    ])
  })

  test('is validated completely before anything runs', async ({ fixture }) => {
    const wrong: [step: { type: string; [field: string]: unknown }, code: string, why: RegExp][] = [
      [{ type: 'teleport' }, 'ErrMissingFactory', /'teleport'/],
      [{ type: 'constructor' }, 'ErrMissingFactory', /'constructor'/],
      [{ type: 'mkdir' }, 'ErrFactoryError', /'mkdir'.*step 2: target is required/],
      [{ type: 'command', commands: 7 }, 'ErrFactoryError', /step 2: commands is not valid/],
      [{ type: 'command', commands: ['"" a'] }, 'ErrFactoryError', /has no program/],
      [
        { type: 'command', commands: ['a'], if: "env = 'host'" },
        'ErrFactoryError',
        /step 2: the condition "env = 'host'" cannot be evaluated/,
      ],
      [{ type: 'download', files: 'ftp://example.com/a' }, 'ErrFactoryError', /ftp:\/\/example.com\/a is not an http/],
      [{ type: 'download', files: 'ssh://me:secret@example.com/a' }, 'ErrFactoryError', /step 2: ssh:\/\/example.com/],
      [write('../../etc/passwd'), 'ErrFactoryError', /outside the server folder/],
      [write('a\0b'), 'ErrFactoryError', /path is not valid/],
      [write('/'), 'ErrFactoryError', /is not a file name/],
      [{ type: 'move', source: '../*', target: 'a' }, 'ErrFactoryError', /outside the server folder/],
      [
        { type: 'alterfile', file: 'a', search: '(', replace: '' },
        'ErrFactoryError',
        /"\(" is not a regular expression/,
      ],
      [{ type: 'alterfile', file: 'a', search: 'a', regex: 'perhaps' }, 'ErrFactoryError', /regex is not valid/],
    ]

    for (const [step, code, why] of wrong) {
      const running = fixture.run([write('first'), step])
      await expect(running).rejects.toThrow(Refusal)
      await expect(running).rejects.toMatchObject({ code, message: expect.stringMatching(why) })
    }
    expect(readdirSync(fixture.folder)).toEqual([])
    expect(fixture.messages).toEqual([])
  })

  test('can be validated without running', () => {
    expect(() => checkSteps([write('${name}')], new Map([['name', '../out']]))).toThrow('outside the server folder')
    expect(() => checkSteps([write('${name}')], new Map([['name', 'in']]))).not.toThrow()
  })

  test('ends at the first failing step, with its number and reason', async ({ fixture }) => {
    const steps = [write('a'), { type: 'mkdir', target: 'a/b' }, write('c')]

    const running = fixture.run(steps)

    await expect(running).rejects.toThrow(StepError)
    await expect(running).rejects.toMatchObject({
      step: 2,
      type: 'mkdir',
      message: 'Step 2 of 3 (mkdir) failed: A file or folder with this name already exists: /a/b',
    })
    expect(existsSync(join(fixture.folder, 'c'))).toBe(false)
  })

  test("ends on abort, with the signal's reason", async ({ fixture }) => {
    const aborting = new AbortController()
    const enough = new Error('the server was killed')
    const runCommand = async () => {
      aborting.abort(enough)
      return { code: null, signal: 'SIGKILL' }
    }

    const running = fixture.run([{ type: 'command', commands: ['a', 'b'] }, write('c')], {
      signal: aborting.signal,
      runCommand,
    })

    await expect(running).rejects.toBe(enough)
    expect(fixture.messages).toEqual(['Executing: a'])
  })

  test('no value of a user starts a new line or controls a terminal', async ({ fixture }) => {
    fixture.values.set('motd', 'hi\n[DAEMON] Server installed\x1b[2J')

    await fixture.run([{ type: 'command', commands: 'true ${motd}' }])

    expect(fixture.messages).toEqual(['Executing: true hi [DAEMON] Server installed [2J'])
  })
})

describe('a command step', () => {
  test('is split before variables are substituted, without a shell', async ({ fixture }) => {
    fixture.values.set('name', 'two words; $(touch hacked) && rm *').set('empty', '')

    await fixture.run([{ type: 'command', commands: ['printf "[%s]\\\\n" ${name}  "a \'b" \'c d\' ${empty} *\n> x'] }])

    const output = fixture.messages.filter((line) => line.startsWith('> '))
    expect(output).toEqual([
      '> [two words; $(touch hacked) && rm *]',
      "> [a 'b]",
      '> [c d]',
      '> []',
      '> [*]',
      '> [>]',
      '> [x]',
    ])
    expect(readdirSync(fixture.folder)).toEqual([])
  })

  test('a failing one is printed, and the list continues as published templates expect', async ({ fixture }) => {
    await fixture.run([{ type: 'command', commands: ['sh -c "exit 3"', 'echo next'] }, write('after')])

    expect(fixture.messages[1]).toBe(
      'Warning: sh -c exit 3 ended with exit code 3. Continuing, because this step does not stop on errors',
    )
    expect(fixture.messages).toContain('> next')
    expect(existsSync(join(fixture.folder, 'after'))).toBe(true)
  })

  test('a failing one ends the list when the step or the definition says so', async ({ fixture }) => {
    const failing = { type: 'command', commands: ['false', 'echo next'] }
    const expected = 'Step 1 of 1 (command) failed: false ended with exit code 1'

    expect(await fixture.getFailure([{ ...failing, stopOnError: true }])).toBe(expected)
    expect(await fixture.getFailure([failing], { stopOnError: true })).toBe(expected)
    expect(fixture.messages).not.toContain('> next')
  })

  test('a missing program ends the list', async ({ fixture }) => {
    expect(await fixture.getFailure([{ type: 'command', commands: ['no-such-program now'] }])).toBe(
      'Step 1 of 1 (command) failed: Missing binary: no-such-program',
    )
  })

  test('a value with line breaks is one line of input', async ({ fixture }) => {
    fixture.values.set('greeting', 'hi\r\nop mara\nstop')

    await fixture.run([{ type: 'stdin', command: 'say ${greeting}' }])

    expect(fixture.messages).toEqual(['typed: say hi op mara stop'])
  })

  test('values of secrets are masked, but used', async ({ fixture }) => {
    fixture.values.set('steam_password', 'hunter2').set('port', '1')

    await fixture.run([{ type: 'command', commands: ['echo ${steam_password} ${port}'] }])

    expect(fixture.messages).toEqual(['Executing: echo *** 1', '> hunter2 1'])
  })
})

describe('a move step', () => {
  test('moves all matches into a directory', async ({ fixture }) => {
    for (const name of ['a.jar', 'b.jar', 'c.txt']) writeFileSync(join(fixture.folder, name), name)
    mkdirSync(join(fixture.folder, 'mods'))

    await fixture.run([
      { type: 'move', source: '*.jar', target: 'mods' },
      { type: 'move', source: 'c.txt', target: 'docs/' },
      { type: 'move', source: '*', target: 'docs' },
    ])

    expect(readdirSync(join(fixture.folder, 'docs')).toSorted()).toEqual(['c.txt', 'mods'])
    expect(readdirSync(join(fixture.folder, 'docs/mods')).toSorted()).toEqual(['a.jar', 'b.jar'])
  })

  test('renames a single match, and replaces an existing file', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'server-1.2.3.jar'), 'new')
    writeFileSync(join(fixture.folder, 'server.jar'), 'old')

    await fixture.run([{ type: 'move', source: 'server-*.jar', target: 'server.jar' }])

    expect(readFileSync(join(fixture.folder, 'server.jar'), 'utf8')).toBe('new')
    expect(fixture.messages).toEqual(['Moving: /server-1.2.3.jar to /server.jar'])
  })

  test('prints that nothing matches, and continues', async ({ fixture }) => {
    await fixture.run([{ type: 'move', source: 'sponge-*.jar', target: 'mods' }])

    expect(fixture.messages).toEqual(['Nothing to move: no file matches /sponge-*.jar'])
  })

  test('refuses to move several files to one, or a directory into itself', async ({ fixture }) => {
    for (const name of ['a.jar', 'b.jar']) writeFileSync(join(fixture.folder, name), name)
    mkdirSync(join(fixture.folder, 'world/sub'), { recursive: true })

    expect(await fixture.getFailure([{ type: 'move', source: '*.jar', target: 'server.jar' }])).toContain(
      '2 files match /*.jar, but /server.jar is not a folder',
    )
    expect(await fixture.getFailure([{ type: 'move', source: 'world', target: 'world/sub' }])).toContain('into itself')
    expect(readdirSync(fixture.folder).toSorted()).toEqual(['a.jar', 'b.jar', 'world'])
  })
})

describe('a writefile step', () => {
  test('creates missing directories, and replaces existing files', async ({ fixture }) => {
    await fixture.run([write('/a/b/c.txt', 'one'), write('a/b/c.txt', 'two'), { type: 'writefile', target: 'empty' }])

    expect(readFileSync(join(fixture.folder, 'a/b/c.txt'), 'utf8')).toBe('two')
    expect(readFileSync(join(fixture.folder, 'empty'), 'utf8')).toBe('')
  })

  test('does not write through a link that leads out', async ({ fixture }) => {
    symlinkSync('/tmp', join(fixture.folder, 'out'))

    expect(await fixture.getFailure([write('out/innkeeper-escaped')])).toBe(
      'Step 1 of 1 (writefile) failed: This path is outside the server folder: /out',
    )
    expect(existsSync('/tmp/innkeeper-escaped')).toBe(false)
  })
})

describe('an alterfile step', () => {
  const alter = (search: string, replace: string, more = {}) => ({
    type: 'alterfile',
    file: 'a.cfg',
    search,
    replace,
    ...more,
  })
  const content = (fixture: StepFixture) => readFileSync(join(fixture.folder, 'a.cfg'), 'latin1')

  test.for([
    ['a regular expression, line by line', '^port=.*$', 'port=2', {}, 'name=a\r\nport=2\r\nPort=x\r\n'],
    ['flags at the start, as Go has them', '(?i)^port=.*$', 'p', {}, 'name=a\r\np\r\np\r\n'],
    ['a named group, as Go has it', '(?P<key>name)=', 'n=', {}, 'n=a\r\nport=1\r\nPort=x\r\n'],
    ['a replacement that looks like a group', '^(port)=', '$1$&:', {}, 'name=a\r\n$1$&:1\r\nPort=x\r\n'],
    ['plain text, everywhere', '=', '$&', { regex: false }, 'name$&a\r\nport$&1\r\nPort$&x\r\n'],
    ['plain text as a flag in text', '.', '!', { regex: 'false' }, 'name=a\r\nport=1\r\nPort=x\r\n'],
  ] as const)('replaces %s', async ([, search, replace, more, expected], { fixture }) => {
    writeFileSync(join(fixture.folder, 'a.cfg'), 'name=a\r\nport=1\r\nPort=x\r\n')

    await fixture.run([alter(search, replace, more)])

    expect(content(fixture)).toBe(expected)
  })

  test('keeps invalid UTF-8', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'a.cfg'), Buffer.from('caf\xe9 ä=1', 'latin1'))

    await fixture.run([alter('1', 'é')])

    expect(content(fixture)).toBe('caf\xe9 ä=\xc3\xa9')
  })

  test('fails when the file does not exist or is not a file', async ({ fixture }) => {
    expect(await fixture.getFailure([alter('a', 'b')])).toBe('Step 1 of 1 (alterfile) failed: File not found: /a.cfg')
    mkdirSync(join(fixture.folder, 'a.cfg'))
    expect(await fixture.getFailure([alter('a', 'b')])).toBe(
      'Step 1 of 1 (alterfile) failed: This is not a regular file: /a.cfg',
    )
  })

  test('an endless pattern is aborted, and so is a file that would grow endlessly', async () => {
    await using regexWorker = new RegexWorker()
    const hopeless = { source: '^(a+)+$', flags: 'gm' }
    const safeFileName = { source: 'a', flags: 'g' }

    await expect(regexWorker.replace(300, `${'a'.repeat(60)}b`, hopeless, 'x')).rejects.toThrow(
      'took too long and was aborted',
    )
    await expect(regexWorker.replace(10_000, 'a'.repeat(10_000), safeFileName, 'b'.repeat(100_000))).rejects.toThrow(
      'too large',
    )
    expect(await regexWorker.replace(10_000, 'an apple', safeFileName, 'o')).toBe('on opple')
  })
})
