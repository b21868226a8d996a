import type { ConfigFileFormat } from '@innkeeper/contract/definitions/operations'
import { describe, expect, test } from 'vitest'
import type { ConfigChange } from './config-format.ts'
import { editConfig } from './edit-config.ts'

/** The text after changes that must all be possible. */
function edited(format: ConfigFileFormat, text: string, ...changes: ConfigChange[]): string {
  const { text: after, problems } = editConfig(format, text, changes)
  expect(problems).toEqual([])
  return after
}

const set = (path: string, value: ConfigChange['value'], when?: string): ConfigChange => ({ path, value, when })

describe('properties', () => {
  const file = '\uFEFF# mine\r\n  max : 5\r\nkey old\r\nlong=a\\\r\n   b\r\nmotd=\\u00a7aHi\r\nd=1\r\nd=2\r\nbare'

  test('change values and nothing else', () => {
    const after = edited(
      'properties',
      file,
      set('max', 7),
      set('key', 'new'),
      set('long', 'x'),
      set('motd', '\\u00a7aHi'),
      set('d', 3),
      set('bare', true),
    )

    expect(after).toBe('\uFEFF# mine\r\n  max : 7\r\nkey new\r\nlong=x\r\nmotd=\\u00a7aHi\r\nd=1\r\nd=3\r\nbare=true')
  })

  test('get missing keys, with escapes where the key needs them', () => {
    expect(edited('properties', '', set('server-port', 1), set('query.port', 2))).toBe('server-port=1\nquery.port=2\n')
    expect(edited('properties', 'a=1', set('b c:', 2))).toBe('a=1\nb\\ c\\:=2\n')
    expect(edited('properties', '# b=1\r\n', set('b', 2))).toBe('# b=1\r\nb=2\r\n')
  })

  test('get ASCII, which every Java reads, unless the file has other characters', () => {
    expect(edited('properties', 'motd=x\n', set('motd', '§é 😀'))).toBe('motd=\\u00a7\\u00e9 \\ud83d\\ude00\n')
    expect(edited('properties', '# é\nmotd=x\n', set('motd', '§é'))).toBe('# é\nmotd=§é\n')
  })

  test('keep a value on its line', () => {
    expect(edited('properties', 'motd=x\n', set('motd', 'a\nb=c\\'))).toBe('motd=a\\u000ab=c\\\\\n')
  })
})

describe('ini', () => {
  const file =
    '; top\r\n[Server]\r\nPort = 7777 ; the port\r\nName="My #1"\r\n\r\n[/Script/A.B]\r\n+List=1\r\nEmpty=\r\n'

  test('changes values and nothing else', () => {
    const changes = [set('Server.Port', 8888), set('Server.Name', 'B #2'), set('[/Script/A.B].Empty', 'x')]

    const after = edited('ini', file, ...changes)

    expect(after).toBe(file.replace('7777', '8888').replace('My #1', 'B #2').replace('Empty=', 'Empty=x'))
    expect(edited('ini', after, ...changes)).toBe(after)
  })

  test('gets missing sections and keys', () => {
    const after = edited('ini', file, set('Server.Max', 5), set('[a.b].c.d', 'x'), set('top', 1))

    expect(after).toBe(`top=1\r\n${file.replace('"My #1"\r\n', '"My #1"\r\nMax=5\r\n')}\r\n[a.b]\r\nc.d=x\r\n`)
    expect(edited('ini', '', set('s.k', '1'), set('s.l', false))).toBe('[s]\nk=1\nl=false\n')
  })

  test('understands brackets around keys, and values with quotes of their own', () => {
    const changes = [set('General.[scum.Name]', '"a b"'), set('A.List[0]', 1)]

    expect(edited('ini', '[General]\nscum.Name=x\n', ...changes)).toBe('[General]\nscum.Name="a b"\n\n[A]\nList[0]=1\n')
  })

  test('quotes what would be a comment, and refuses line breaks', () => {
    expect(edited('ini', '[s]\nk=1\n', set('s.k', 'a ; b'))).toBe('[s]\nk="a ; b"\n')
    expect(editConfig('ini', '[s]\nk=1\n', [set('s.k', 'a\n[t]')])).toEqual({
      text: '[s]\nk=1\n',
      problems: [{ path: 's.k', reason: 'the value must be one line' }],
    })
  })
})

describe('json', () => {
  const file =
    '{\r\n\t"port": 1, // here\r\n\t"on": false,\r\n\t"text": "5",\r\n\t"e": {},\r\n\t"l": [{"a": 1}] /* end */\r\n}\r\n'

  test('keeps types, comments and spaces', () => {
    const after = edited('json', file, set('port', '25565'), set('on', 'true'), set('text', '6'), set('l[0].a', '2'))

    expect(after).toBe(
      file
        .replace('"port": 1', '"port": 25565')
        .replace('false', 'true')
        .replace('"5"', '"6"')
        .replace('"a": 1', '"a": 2'),
    )
  })

  test('gets missing names', () => {
    const after = edited('json', file, set('new.deep', '1'), set('e.f', 'x'), set('l.0.b', true), set('a\\.b', null))

    expect(after).toBe(
      file
        .replace('{}', '{\r\n\t\t"f": "x"\r\n\t}')
        .replace('1}] /* end */', '1, "b": true}], /* end */\r\n\t"new": {\r\n\t\t"deep": 1\r\n\t},\r\n\t"a.b": null'),
    )
    expect(JSON.parse(edited('json', '', set('a[0].b', '1.20'), set('c~1d', 'false')))).toEqual({
      a: [{ b: '1.20' }],
      'c.d': false,
    })
  })

  test('keeps numbers that JavaScript cannot hold', () => {
    const id = '{"id": 76561198000000001}'

    expect(edited('json', id, set('id', '76561198000000003'))).toBe('{"id": 76561198000000003}')
    expect(edited('json', '{}', set('id', '76561198000000003'))).toContain('"76561198000000003"')
  })

  test('keeps a value inside its string', () => {
    const after = edited('json', '{"name": "x"}', set('name', '","admin":true,"a":"\n'))

    expect(JSON.parse(after)).toEqual({ name: '","admin":true,"a":"\n' })
  })
})

describe('toml', () => {
  const file = [
    '# Velocity',
    "bind = '0.0.0.0:25577' # where",
    'motd = "<#09add3>A Server"',
    'show-max-players = 500',
    'rate = 1.5',
    'since = 1979-05-27T07:32:00Z',
    '',
    '# servers',
    '[servers]',
    'lobby = "127.0.0.1:30066" # first',
    '  try = [',
    '    "lobby", # a',
    '  ]',
    '',
    '[advanced] # last',
    '[[listener]]',
    'name = "a"',
    'query = { on = true, port.udp = 1 }',
    '[[listener]]',
    'name = "b"',
    '[deep.table]',
    'x = 1',
    '',
  ].join('\r\n')
  const getExpected = (...replacements: [string, string][]) =>
    replacements.reduce((text, [from, to]) => text.replace(from, to), file)

  test('changes values and nothing else, with their types and quotes', () => {
    const after = edited(
      'toml',
      file,
      set('bind', '10.0.0.1:7000'),
      set('motd', 'é "quoted" 😀'),
      set('show-max-players', '20'),
      set('rate', '2'),
      set('since', '2026-11-28T10:00:00Z'),
      set('servers.lobby', 'a\nb = 1'),
      set('servers.try[0]', 'hub'),
      set('listener[1].name', 'c'),
      set('listener[0].query.port.udp', '7001'),
      set('deep.table.x', 5),
    )

    expect(after).toBe(
      getExpected(
        ["'0.0.0.0:25577'", "'10.0.0.1:7000'"],
        ['"<#09add3>A Server"', '"é \\"quoted\\" 😀"'],
        ['500', '20'],
        ['1.5', '2.0'],
        ['1979-05-27T07:32:00Z', '2026-11-28T10:00:00Z'],
        ['"127.0.0.1:30066"', '"a\\nb = 1"'],
        ['"lobby", # a', '"hub", # a'],
        ['name = "b"', 'name = "c"'],
        ['port.udp = 1 ', 'port.udp = 7001 '],
        ['x = 1', 'x = 5'],
      ),
    )
  })

  test('gets what is missing, in the table that it belongs to', () => {
    const after = edited(
      'toml',
      file,
      set('online-mode', 'true'),
      set('new.inner', 'v'),
      set('servers.second', 'b'),
      set('advanced.compression.level', 3),
      set('listener[0].query.map', 'm'),
      set('listener[1].port', '25577'),
      set('deep.other name', 'y'),
      set('list[0].a', 1),
    )

    expect(after).toBe(
      getExpected(
        [
          'since = 1979-05-27T07:32:00Z',
          'since = 1979-05-27T07:32:00Z\r\nonline-mode = true\r\nnew.inner = "v"\r\nlist = [{ a = 1 }]',
        ],
        ['"lobby", # a\r\n  ]', '"lobby", # a\r\n  ]\r\n  second = "b"'],
        ['[advanced] # last', '[advanced] # last\r\ncompression.level = 3'],
        ['port.udp = 1 }', 'port.udp = 1, map = "m" }'],
        ['name = "b"', 'name = "b"\r\nport = 25577'],
        ['x = 1\r\n', 'x = 1\r\n\r\n[deep]\r\n"other name" = "y"\r\n'],
      ),
    )
  })

  test('gets missing keys in an empty file, and before the first table', () => {
    expect(edited('toml', '', set('a', 1), set('b.c', 'x'))).toBe('a = 1\nb.c = "x"\n')
    expect(edited('toml', '# c', set('a', true))).toBe('# c\na = true\n')
    expect(edited('toml', '[t]\n', set('a', 1))).toBe('a = 1\n\n[t]\n')
    expect(edited('toml', '[t]', set('t.a', 1))).toBe('[t]\na = 1')
    expect(edited('toml', 'l = []\ni = {}\n', set('l[0]', 1), set('i.a.b', 2))).toBe('l = [1]\ni = {a.b = 2}\n')
  })

  test('is left as it is where a change is not possible', () => {
    const changes = [set('servers', 1), set('bind.port', 1), set('motd', null), set('servers.try[7]', 'x')]

    const { text, problems } = editConfig('toml', file, [...changes, set('motd', 'x', 'other')])

    expect(text).toBe(file)
    expect(problems.map(({ path }) => path)).toEqual(['servers', 'bind.port', 'motd', 'servers.try[7]'])
  })
})

describe('yaml', () => {
  const file = `# top
a: &shared 5 # c
none:
hint:   # later
q: 'it''s' # d
"dq": "x"
flow: {x: 1, y: [1, 2]}
empty: {}
list:
  - host: 1
    port: 2 # z
block: |
  text
copy: *shared
nested:
  old: no

# end
`

  test('keeps types, quotes, comments and spaces', () => {
    const after = edited(
      'yaml',
      file,
      set('none', 'no'),
      set('hint', 'x'),
      set('q', "a'b"),
      set('dq', '1'),
      set('flow.y.1', '3'),
      set('list[0].host', '7'),
      set('block', 'new'),
      set('copy', '6'),
      set('nested.old', 'true'),
    )

    expect(after).toBe(
      file
        .replace('none:', 'none: "no"')
        .replace('hint:', 'hint: x')
        .replace("it''s", "a''b")
        .replace('"x"', '"1"')
        .replace('2]', '3]')
        .replace('host: 1', 'host: 7')
        .replace('|\n  text', 'new')
        .replace('*shared', '6')
        .replace('old: no', 'old: true'),
    )
  })

  test('gets missing names', () => {
    const after = edited(
      'yaml',
      file,
      set('list[0].more', '1e3'),
      set('flow.z', 'a: b'),
      set('empty.k.l', '0.0.0.0:25565'),
      set('none.a', '1'),
      set('nested.deep.er', 'yes'),
      set('new[0].k', true),
    )

    expect(after).toBe(
      `${file
        .replace('port: 2 # z', 'port: 2 # z\n    more: "1e3"')
        .replace('[1, 2]}', '[1, 2], z: "a: b"}')
        .replace('empty: {}', 'empty: {k: {l: 0.0.0.0:25565}}')
        .replace('none:', 'none: {a: 1}')
        .replace('old: no\n', 'old: no\n  deep:\n    er: "yes"\nnew:\n  - k: true\n')}`,
    )
    expect(edited('yaml', '# c\r\n', set('l[0].a', 1), set('b', '12:30'))).toBe(
      '# c\r\nl:\r\n  - a: 1\r\nb: "12:30"\r\n',
    )
  })

  test('changes values by wildcard where a condition holds', () => {
    const servers = 'servers:\n  a:\n    address: localhost:25566\n  b:\n    address: 10.0.0.1:1\n  c: 5\n'
    const local = 'regex:^(127\\.0\\.0\\.1|localhost)(:\\d{1,5})?$'

    expect(edited('yaml', servers, set('servers.*.address', '172.18.0.1$2', local))).toBe(
      servers.replace('localhost', '172.18.0.1'),
    )
    expect(edited('yaml', servers, set('servers.*.address', 'x', '10.0.0.1:1'))).toBe(
      servers.replace('10.0.0.1:1', 'x'),
    )
  })

  test('does not change what an alias refers to, or several values at once', () => {
    const { text, problems } = editConfig('yaml', file, [
      set('a', 6),
      set('flow', 1),
      set('list[3].a', 1),
      set('q.r', 1),
    ])

    expect(text).toBe(file)
    expect(problems.map(({ path }) => path)).toEqual(['a', 'flow', 'list[3].a', 'q.r'])
  })

  test('keeps a value inside its scalar', () => {
    const after = edited('yaml', 'a: x\nb: 1\n', set('a', 'x\nadmin: true # "'))

    expect(after).toBe('a: "x\\nadmin: true # \\""\nb: 1\n')
  })
})

describe('xml', () => {
  const file = `<?xml version="1.0"?>\r\n<!-- c -->\r\n<Root xmlns="u">\r\n  <A>1</A> <!-- a -->\r\n  <B/>\r\n  <P n="x" v="1"/>\r\n  <P n="y" v="2" />\r\n</Root>\r\n`

  test('changes texts and attributes and nothing else', () => {
    const after = edited('xml', file, set('Root.A', '<&'), set('Root.B', 2), set("Root.P[@n='y'].@v", '"3"'))

    expect(after).toBe(
      file.replace('>1<', '>&lt;&amp;<').replace('<B/>', '<B>2</B>').replace('v="2"', 'v="&quot;3&quot;"'),
    )
    expect(edited('xml', file, set('Root.*.@v', 9))).toContain('<A v="9">1</A>')
    expect(edited('xml', file, set('Root.P[2].@v', 9))).toBe(file.replace('v="2"', 'v="9"'))
  })

  test('gets missing elements', () => {
    expect(edited('xml', file, set('Root.C.D', 'x'), set('Root.C.@e', 'y'), set('Root.B.F', 1))).toBe(
      file
        .replace('<B/>', '<B>\r\n    <F>1</F>\r\n  </B>')
        .replace('v="2" />', 'v="2" />\r\n  <C e="y">\r\n    <D>x</D>\r\n  </C>'),
    )
    expect(edited('xml', '', set('x.y', 1))).toBe('<?xml version="1.0" encoding="utf-8"?>\n<x>\n  <y>1</y>\n</x>\n')
  })

  test('does not change another root', () => {
    expect(editConfig('xml', file, [set('Other.A', 1)])).toEqual({
      text: file,
      problems: [{ path: 'Other.A', reason: 'the file has <Root>' }],
    })
  })
})

test('lines are replaced where they begin with the path; the longest path counts', () => {
  const after = edited(
    'file',
    '\tport 1\r\npassword = "a"\npasswordAdmin = "b"\nlast',
    set('\tport', '\tport 2'),
    set('password', 'password = "c"'),
    set('passwordAdmin', 'passwordAdmin = "d"'),
    set('missing', 'x'),
  )

  expect(after).toBe('\tport 2\r\npassword = "c"\npasswordAdmin = "d"\nlast')
})

test.each<[ConfigFileFormat, string]>([
  ['json', '{"a": 1'],
  ['json', "{a: 'x'}"],
  ['yaml', 'a: [1'],
  ['toml', 'a = [1'],
  ['toml', 'a = 1\na = 2'],
  ['yaml', 'a: b: c'],
  ['xml', '<a><b></a>'],
  ['xml', '<a/><b/>'],
  ['xml', 'text'],
])('a %s file that is not valid is refused: %s', (format, text) => {
  expect(() => editConfig(format, text, [set('a', 2)])).toThrow()
})

test.each<[ConfigFileFormat, string]>([
  ['json', '['.repeat(100_000)],
  ['yaml', '['.repeat(100_000)],
  ['toml', `a = ${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['xml', '<a>'.repeat(100_000)],
])('a %s file with too many levels is refused', (format, text) => {
  expect(() => editConfig(format, text, [set('a', 2)])).toThrow('too many levels')
})

test('YAML with very many aliases of one value is read in reasonable time', () => {
  const text = `a: &a x\n${Array.from({ length: 3_000 }, (_, at) => `b${at}: *a\n`).join('')}`

  expect(edited('yaml', text, set('b7', 'z'))).toBe(text.replace('b7: *a', 'b7: z'))
})
