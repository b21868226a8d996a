import { Template } from '@innkeeper/contract/definitions/definition'
import {
  getPlayerPatterns,
  invalidPlayerPatterns,
  type PlayerEvent,
} from '@innkeeper/contract/definitions/player-patterns'
import { compilePattern } from '@innkeeper/contract/text/pattern'
import { describe, expect, test } from 'vitest'
import { files } from './sources.ts'

type Groups = Readonly<{ name?: string; id?: string }>

/** What programs print. */
interface GameLines {
  readonly templates: readonly string[]
  /** Lines about the player Alice. */
  readonly lines: readonly (readonly [PlayerEvent, string, Groups])[]
  /** What the game prints when the player Mallory writes a text in the chat; missing when it prints no chat. */
  readonly chat?: (text: string) => readonly string[]
  /** Other lines that are none of these events. */
  readonly others?: readonly string[]
}

const alice = { name: 'Alice' }
const modded = ['minecraft-curseforge', 'minecraft-fabric', 'minecraft-quilt', 'minecraft-sponge']
const forge = ['minecraft-forge', 'minecraft-forge-legacy', 'minecraft-neoforge', 'minecraft-mohist']
const bukkit = ['minecraft-folia', 'minecraft-paper', 'minecraft-purpur', 'minecraft-spigot']

const games: readonly GameLines[] = [
  {
    templates: ['minecraft-vanilla', ...modded, ...forge, ...bukkit],
    lines: [
      ['join', '[21:14:03] [Server thread/INFO]: Alice joined the game', alice],
      ['join', '[21:14:03] [Server thread/INFO]: Alice (formerly known as Al) joined the game', alice],
      ['leave', '[21:14:03] [Server thread/INFO]: Alice left the game', alice],
      ['chat', '[21:14:03] [Server thread/INFO]: <Alice> hello', alice],
      ['chat', '[21:14:03] [Server thread/INFO]: [Not Secure] <Alice> hello', alice],
      // With the console of Paper.
      ['join', '[21:14:03 INFO]: Alice joined the game', alice],
      ['leave', '[21:14:03 INFO]: Alice left the game', alice],
      ['chat', '[21:14:03 INFO]: <Alice> hello', alice],
      ['chat', '[21:14:03] [Async Chat Thread - #0/INFO]: <Alice> hello', alice],
      // With names of loggers, as Forge and Fabric print them.
      ['join', '[21:14:03] [Server thread/INFO] [minecraft/DedicatedServer]: Alice joined the game', alice],
      [
        'join',
        '[11Feb2026 05:35:14.246] [Server thread/INFO] [net.minecraft.server.MinecraftServer/]: Alice joined the game',
        alice,
      ],
      ['leave', '[21:14:03] [Server thread/INFO] [minecraft/MinecraftServer]: Alice left the game', alice],
      ['join', '[21:14:03] [Server thread/INFO] (Minecraft) Alice joined the game', alice],
    ],
    chat: (text) =>
      ['[21:14:03] [Server thread/INFO]:', '[21:14:03 INFO]:', '[21:14:03] [Server thread/INFO] (Minecraft)'].flatMap(
        (head) => [
          `${head} <Mallory> ${text}`,
          `${head} [Not Secure] <Mallory> ${text}`,
          `${head} <[VIP] Mallory> ${text}`,
          `${head} * Mallory ${text}`,
          `${head} [Mallory] ${text}`,
          `${head} [Mallory: ${text}]`,
          `${head} Mallory issued server command: /${text}`,
        ],
      ),
    others: [
      '[21:14:03] [User Authenticator #1/INFO]: UUID of player Alice is 069a79f4-44e9-4726-a5be-fca90e38aaf5',
      '[21:14:03] [Server thread/INFO]: Alice[/127.0.0.1:50000] logged in with entity id 1 at (0.5, 64.0, 0.5)',
      '[21:14:03] [Server thread/INFO]: Alice lost connection: Disconnected',
      '[21:14:03] [Server thread/INFO]: Alice was slain by Zombie',
    ],
  },
  {
    templates: ['minecraft-bungeecord', 'minecraft-waterfall'],
    lines: [
      ['join', '02:07:08 [INFO] [Alice] <-> ServerConnector [lobby] has connected', alice],
      ['leave', '02:07:08 [INFO] [Alice] -> UpstreamBridge has disconnected', alice],
      ['join', '[02:07:08 INFO]: [Alice] <-> ServerConnector [lobby] has connected', alice],
      ['leave', '[02:07:08 INFO]: [Alice] -> UpstreamBridge has disconnected', alice],
    ],
    chat: (text) => [
      `02:07:08 [INFO] Mallory executed command: /${text}`,
      `[02:07:08 INFO]: Mallory executed command: /${text}`,
    ],
    others: [
      '02:07:04 [INFO] [Alice,/127.0.0.1:13565] <-> InitialHandler has connected',
      '02:07:04 [INFO] [Alice] <-> DownstreamBridge <-> [lobby] has disconnected',
    ],
  },
  {
    templates: ['minecraft-velocity'],
    lines: [
      ['join', '[21:14:03 INFO]: [connected player] Alice (/127.0.0.1:50000) has connected', alice],
      ['leave', '[21:14:03 INFO]: [connected player] Alice (/127.0.0.1:50000) has disconnected', alice],
      ['leave', '[21:14:03 INFO]: [connected player] Alice (/127.0.0.1:50000) has disconnected: Goodbye', alice],
    ],
    others: [
      '[21:14:03 INFO]: [server connection] Alice -> lobby has connected',
      '[21:14:03 INFO]: [server connection] Alice -> lobby has disconnected',
      '[21:14:03 INFO]: [initial connection] /127.0.0.1:50000 has connected',
    ],
  },
  {
    templates: ['minecraft-bedrock'],
    lines: [
      [
        'join',
        '[2026-11-20 21:14:03:512 INFO] Player connected: Alice B, xuid: 2535412345678901',
        { name: 'Alice B', id: '2535412345678901' },
      ],
      [
        'leave',
        '[2026-11-20 21:14:03:512 INFO] Player disconnected: Alice B, xuid: 2535412345678901, pfid: 1a2b3c',
        { name: 'Alice B', id: '2535412345678901' },
      ],
    ],
  },
  {
    templates: ['pocketmine'],
    lines: [
      ['join', '[21:14:03.512] [Server thread/INFO]: Alice joined the game', alice],
      ['leave', '[21:14:03.512] [Server thread/INFO]: Alice left the game', alice],
      ['chat', '[21:14:03.512] [Server thread/INFO]: <Alice> hello', alice],
    ],
    chat: (text) => {
      const head = '[21:14:03.512] [Server thread/INFO]:'
      return [`${head} <Mallory> ${text}`, `${head} * Mallory ${text}`, `${head} [Mallory] ${text}`]
    },
  },
  {
    templates: ['luanti'],
    lines: [
      [
        'join',
        '2026-11-20 21:14:03: ACTION[Server]: Alice [::ffff:127.0.0.1] joins game. List of players: Bob Alice',
        alice,
      ],
      ['leave', '2026-11-20 21:14:03: ACTION[Server]: Alice leaves game. List of players: Bob', alice],
      ['leave', '2026-11-20 21:14:03: ACTION[Server]: Alice times out. List of players: ', alice],
      ['chat', '2026-11-20 21:14:03: ACTION[Server]: CHAT: <Alice> hello', alice],
      ['death', '2026-11-20 21:14:03: ACTION[Server]: Alice dies at (1,2,3). Bones placed', alice],
    ],
    chat: (text) => [
      `2026-11-20 21:14:03: ACTION[Server]: CHAT: <Mallory> ${text}`,
      `2026-11-20 21:14:03: ACTION[Server]: DM sent from Mallory to Alice: ${text}`,
      `2026-11-20 21:14:03: ACTION[Server]: Mallory wrote "${text}" to the sign at (1,2,3)`,
    ],
  },
  {
    templates: ['openttd'],
    lines: [
      ['join', '\u200e*** Alice has joined the game (Client #2)', alice],
      ['leave', '\u200e*** Alice has left the game (connection lost)', alice],
      ['leave', '\u200e*** Alice has changed their name to Bob', alice],
      ['leave', '\u200e*** Alice was kicked. Reason: (bye; quit)', alice],
      // Names of at most 24 characters that look like another line.
      [
        'join',
        '\u200e*** A has left the game (x) has joined the game (Client #2)',
        { name: 'A has left the game (x)' },
      ],
      ['leave', '\u200e*** A has left the game (x) has left the game (leaving)', { name: 'A has left the game (x)' }],
      ['leave', '\u200e*** Mallory has changed their name to A has left the game (x)', { name: 'Mallory' }],
    ],
    chat: (text) => [
      `\u200e[All] Mallory: ${text}`,
      `\u200e[Team] Mallory: ${text}`,
      `\u200e[Private] Mallory: ${text}`,
    ],
    others: [
      '\u200e*** A has left the game (x) has started a new company (#1)',
      '\u200e*** Alice has started a new company (#1)',
      '\u200e*** A was kicked. Reason: (x has started a new company (#1)',
    ],
  },
  {
    templates: ['freeciv'],
    lines: [
      ['join', '2: Alice has connected from localhost.', alice],
      ['join', '2: Alice has connected from localhost (player Caesar).', alice],
      ['leave', '2: Lost connection: Alice from localhost (client disconnected) (player Caesar).', alice],
      // A user name that looks like another line.
      ['join', '2: Alice has connected from x has connected from localhost.', { name: 'Alice has connected from x' }],
      ['leave', '2: Lost connection: Alice from x from localhost (rejected).', { name: 'Alice from x' }],
    ],
    chat: (text) => [`<Mallory> ${text}`, `Mallory: '/${text}'`, `Mallory to allies: ${text}`, `->*Alice* ${text}`],
    others: [
      '2: Connection request from Alice from localhost',
      '2: Alice was rejected: Duplicate login name [Alice].',
      '2: Removing player Alice.',
    ],
  },
  {
    templates: ['teeworlds'],
    lines: [
      ['join', "[2026-11-20 21:14:03][game]: team_join player='0:Alice' team=0", alice],
      ['join', "[2026-11-20 21:14:03][game]: team_join player='0:A' team=0' team=-1", { name: "A' team=0" }],
      ['leave', "[2026-11-20 21:14:03][game]: leave player='0:Alice'", alice],
    ],
    chat: (text) => [
      `[2026-11-20 21:14:03][chat]: 0:1:Mallory: ${text}`,
      `[2026-11-20 21:14:03][teamchat]: 2:0:1:Mallory: ${text}`,
    ],
    others: ["[2026-11-20 21:14:03][game]: team_join player='0:Alice' team=0->1"],
  },
  {
    templates: ['ddnet'],
    lines: [
      ['join', "2026-11-20 21:14:03 I game: team_join player='0:Alice' team=0", alice],
      ['leave', "2026-11-20 21:14:03 I game: leave player='0:Alice'", alice],
    ],
    chat: (text) => [
      `2026-11-20 21:14:03 I chat: 1:-2:Mallory: ${text}`,
      `2026-11-20 21:14:03 I teamchat: 1:0:Mallory: ${text}`,
    ],
  },
  {
    templates: ['mumble'],
    lines: [
      ['join', '<W>2026-11-20 21:14:03.167 1 => <7:Alice(-1)> Authenticated', { ...alice, id: '7' }],
      ['join', '<W>2026-11-20 21:14:03.167 1 => <7:Alice(12)> Authenticated', { ...alice, id: '7' }],
      [
        'leave',
        '<W>2026-11-20 21:14:03.169 1 => <7:Alice(-1)> Connection closed: The TLS/SSL connection has been closed [1]',
        { id: '7' },
      ],
    ],
    others: ['<W>2026-11-20 21:14:03.149 1 => <7:(-1)> New connection: 127.0.0.1:46124'],
  },
]

const withPatterns = files('templates/*/*.json').flatMap(({ text }) => {
  const template = Template.parse(JSON.parse(text))
  return getPlayerPatterns(template).length > 0 ? [template] : []
})

/** Returns a function that finds the event of a line, and the groups. */
function compileMatcher(template: Template | undefined) {
  const patterns = getPlayerPatterns(template ?? {}).map(({ event, pattern }) => {
    const compiled = compilePattern(pattern)
    return { event, compiled, names: Object.keys(compiled.namedGroups()) }
  })
  return (line: string) => {
    for (const { event, compiled, names } of patterns) {
      const matcher = compiled.matcher(line)
      if (!matcher.find()) continue
      const groups = names.map((group) => [group, matcher.group(group)] as const)
      return { event, groups: Object.fromEntries(groups.filter(([, value]) => value)) }
    }
    return undefined
  }
}

test('the lines of every template with patterns are known', () => {
  const names = withPatterns.map(({ name }) => name)

  expect(games.flatMap(({ templates }) => templates).toSorted()).toEqual(names.toSorted())
})

describe.each(games)('the patterns of $templates.0', ({ templates, lines, chat, others = [] }) => {
  const [template, ...same] = withPatterns.filter(({ name }) => templates.includes(name ?? ''))
  const matchLine = compileMatcher(template)

  test('are valid, and each event has a line', () => {
    const events = getPlayerPatterns(template ?? {}).map(({ event }) => event)

    expect(invalidPlayerPatterns(template ?? {})).toEqual([])
    expect([...new Set(lines.map(([event]) => event))].toSorted()).toEqual([...new Set(events)].toSorted())
    for (const other of same) expect(getPlayerPatterns(other), other.name).toEqual(getPlayerPatterns(template ?? {}))
  })

  test('match lines of the game', () => {
    expect(lines.map(([, line]) => [line, matchLine(line)])).toEqual(
      lines.map(([event, line, groups]) => [line, { event, groups }]),
    )
    for (const line of others) expect(matchLine(line), line).toBeUndefined()
  })

  if (!chat) return
  test('take no chat for another line, nor for one of another player', () => {
    // Whole lines, and each part that begins with a word or a bracket.
    const texts = lines.flatMap(([, line]) => [...line.matchAll(/(?:^|\b)./gu)].map(({ index }) => line.slice(index)))
    const found = texts.flatMap((text) => chat(text)).flatMap((line) => matchLine(line) ?? [])

    const forged = found.filter(({ event, groups }) => event !== 'chat' || groups.name !== 'Mallory')
    expect(forged).toEqual([])
  })
})
