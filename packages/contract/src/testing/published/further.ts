/** Shapes of definitions that were published before, between and after those sets, one a line; `sketch.ts` reads them. */
export const further = `
hytale | hytale | java mkdir*3 dl mv extract*2 cmd*5 wf*2 | cmd cmd? | [] host, docker:eclipse-temurin:25+udp | 4s 3i 1b | stop | linux amd64 | groups goTemplate shellLines delete
rsdragonwilds | rsdragonwilds | steam(4019830) alterfile?*6 mkdir wf*2 | | [host] host | 5s 2i | 9 | linux amd64 | branch slash keepAlive emptyKinds noUninstall commands(2) emptyIf unshare
vintage-story | vintagestory | dl mkdir cmd*4 wf | cmd | [empty] host | 2s 2i | /stop | | dotnetRoot
minecraft-curseforge-neoforge | minecraft-java | java? curseforge?*2 wf? wf | resolveneoforgeversion? | [host] host, docker:eclipse-temurin:{javaversion}+ports | 3s 4i 1b | stop | | commands(6) undefined(resolvedForgeVersion) stats(jcmd) query(minecraft)
minecraft-curseforge-forge | minecraft-java | java? curseforge?*2 wf? wf | resolveforgeversion? | [host] host, docker:eclipse-temurin:{javaversion}+ports | 3s 4i 1b | stop | | commands(6) undefined(resolvedForgeVersion) stats(jcmd) query(minecraft)
minecraft-neoforge | minecraft-java | java dl cmd wf*2 | | only standard | 3s 2i 1b | stop | | filesAsText newline
minecraft-neoforged | minecraft-java | java dl cmd wf*2 | | only standard | 3s 2i 1b | stop | | filesAsText newline
minecraft-modrinth | minecraft-java | java dl cmd*3 wf*2 | | [standard] standard | 4s 2i 1b | stop | | names(modpack-url)
minecraft-bta | minecraft-java | java dl wf*2 | | [standard] standard | 3s 2i 1b | stop | | jarVariable
minecraft-vanilla-lazymc | minecraft-java | dl mojangdl wf*2 | | [standard] standard | 2s 2i 1b | stop | |
minecraft-airplane | minecraft-java | dl mv wf*2 | | [standard] standard | 2s 2i 1b | stop | | globMove
minecraft-flamecord | minecraft-java | dl wf | | [standard] standard | 2s 2i | end | |
minecraft-craftbukkit | minecraft-java | dl cmd wf*2 mv | | [standard] standard | 1s 2i 1b | stop | | globMove
minecraft-ftb-ARM | minecraft-java | java dl cmd wf*2 | | [standard] standard | 4s 4i 1b | stop | linux arm64 |
minecraft-ftb-117+ | minecraft-java | java dl cmd wf*2 | | [standard] standard | 4s 4i 1b | stop | linux amd64 |
minecraft-forge-117+ | minecraft-java | java forgedl cmd wf*2 | | [standard] standard | 4s 2i 1b | stop | | undefined(forgebuild-of-then)
feedthebeast-forge-117+ | minecraft-java | dl cmd mv wf*2 | | [standard] standard | 4s 2i 1b | stop | | globMove
minecraft-cloudnet | minecraft-java | dl cmd | | [standard] standard | 1s 1i | exit | |
minecraft-mods&maps | minecraft-java | dl cmd | | [standard] standard | 1s 1i | stop | |
terraria-1.4-tmodloader | terraria | dl cmd wf | | [tty] tty | 5s 1i | exit | |
terraria-modded | terraria | dl cmd wf | | [tty] tty | 5s 1i | exit | |
tshock | terraria | dl cmd | | [tty] tty | 3s 1i | exit | | dotnetRoot rootDir
bugreport | other | cmd | | [standard] standard | 1s | stop | |
imposter | imposter | dl cmd wf | | [] standard | 3s 2i | 1 | | mayFail
nukkit | minecraft-bedrock | dl wf mv | | [standard] standard | 1s 2i | stop | | globMove
purpur | minecraft-java | dl mv wf | | [standard] standard | 1s 2i 1b | stop | | globMove namedByHost
genisyspro | pocketmine | dl cmd mv wf | | [tty] tty | 1s 1i | stop | | noSuffix
zandronum | doom | dl cmd wf*3 | | [standard] standard | 1o 1u | Quit | | bareGlob undefined(players)
dayzsa | dayz | steam(223350) wf cmd | | [standard] standard | 5s 3i 1o | 2 | | credentials appVariable names(1stport,2ndport)
cs2 | srcds | steam(730) cmd | | [tty] tty | 3s 3i | quit | linux amd64 |
CounterStrike2 | srcds | steam(730) cmd | | [tty] tty | 3s 3i | quit | linux amd64 |
l4d | srcds | dl mkdir cmd | | [tty] tty, docker:games/srcds | 2i 3u | exit | | filesAsText
l4d2 | srcds | dl mkdir cmd | | [tty] tty, docker:games/srcds | 2i 3u | exit | | filesAsText
cs | goldsrc | dl mkdir cmd | | [tty] tty, docker:games/srcds | 2i 3u | exit | | filesAsText
srcds | srcds | dl mkdir cmd | | [tty] tty, docker:games/srcds | 2i 3u | exit | |
arma-reforger | arma | cmd | | [] docker:games/reforger | 4s 3i | 2 | | allFields
mindustry-docker | mindustry | dl | | [] docker:eclipse-temurin:17.0.9_9-jre-alpine | 3s 2i | exit | | names(PORT) undefined(port-of-then)
corekeeper | corekeeper | steam(1963720) wf*2 cmd | | [tty] tty | 4s 2i | shutdown | linux amd64 | bigScript
astroneer | astroneer | steam(728470) mkdir wf*3 cmd | | [tty] tty | 4s 2i | 2 | linux amd64 bin:wine | argsAsText bigScript emptyValues
astroneer-astrotuxlauncher | astroneer | dl cmd*2 wf*3 | | [standard] standard | 4s 2i | shutdown | linux amd64 | terminal noValue(owner)
palworld-early | srcds | steam(1007) steam(2394010) cmd wf | steam(1007) steam(2394010) cmd | only tty | 4s 6i 2b | 15 | linux amd64 | andAnd
necesse | necesse | steam(1169370) cmd | | [standard] standard | 4s 2i | /stop | linux amd64 | quotes emptyQuotes mayFail
scpsl | scpsl | steam(996560) cmd | | [tty] none | 1s 1i | stop | linux amd64 |
minetest | minetest | dl cmd wf | | [standard] standard | 2s 1i | 2 | bin:cmake+make | cwd(minetest) noValue(world)
beammp | beammp | dl cmd wf | | only standard | 3s 2i 1b | exit | | noValue(authkey) mayFail
cloudnet | other | dl cmd | | [standard] standard | 1s 1i | exit | |
reposilite | other | dl | | [standard] standard, docker:eclipse-temurin | 3s 2i | stop | | tokenPair names(token_name,secret)
java | other | | | [standard] standard, docker:eclipse-temurin | | stop | bin:java | emptyLists
javascript | other | | | [standard] standard, docker:node | | 2 | bin:node | emptyLists
python3 | other | | | [standard] standard, docker:python | | 2 | bin:python3 | emptyLists
node.js | other | cmd | | [standard] standard, docker:node | 1s | 2 | bin:node+npm | names(bot-js-file)
Scheduler | other | dl | | [standard] standard | 1s | exit | |
discord-musicbot | discord | dl wf | | [standard] standard | 3s | exit | bin:java |
diepcustom | other | cmd alterfile | | only standard | 2s 1i | 2 | bin:git+npm | plainSearch variablesInside noValue(token)
`

/** Published templates that cannot be converted, by their path, with the code of the expected error. */
export const unusable: readonly { readonly path: string; readonly text: string; readonly code: string }[] = [
  {
    path: 'minecraft-autoupdate/minecraft-autoupdate.json',
    text: '"type": "minecraft-java", "data": {"choice": {"type": "option", "options": [{"display": "A"}]}}, "run": {}}',
    code: 'ErrInvalidJson',
  },
  {
    path: 'jmusicbot/jmusicbot.json',
    text: JSON.stringify({
      pufferd: {
        type: 'discord',
        data: { token: { value: '', required: true, desc: 'The token of the bot' } },
        install: { commands: [{ type: 'download', files: 'https://example.org/music.jar' }] },
        run: { program: 'java', arguments: ['-Dnogui=true', '-jar', 'music.jar'], stop: 'shutdown' },
        environment: { type: 'standard' },
      },
    }),
    code: 'ErrOldTemplate',
  },
  {
    path: 'teeworlds-server-mod/teeworlds-server-mod.json',
    text: JSON.stringify({
      pufferd: {
        type: 'teeworlds',
        data: { args: { value: '-f own.cfg -v', desc: 'Several words' } },
        install: { commands: [{ type: 'command', commands: ['tar -xf ${rootdir}/server.tar.gz'] }] },
        run: { program: '${rootdir}/server', arguments: ['${args}'], stopCode: 3 },
        environment: { type: 'tty' },
      },
    }),
    code: 'ErrOldTemplate',
  },
  {
    path: 'arkprivate/arkprivate.json',
    text: '{"pufferd": {"type": "ark", "run": {"program": "./server", "arguments": ["${map}",], "stop": "quit"}',
    code: 'ErrInvalidJson',
  },
]

/** Files next to templates that are not templates: test data and disabled templates. */
export const otherFiles: readonly string[] = ['minecraft/data.json', 'squad/squad.json.skip', 'rust/notes.txt']
