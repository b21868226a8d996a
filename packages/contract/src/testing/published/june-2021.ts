/** Shapes of the definitions published in June 2021, one a line; `sketch.ts` reads them. */
export const june2021 = `
7days2die | 7days | dl cmd | | [tty] tty, docker:games/srcds | 1s | 2 | | shellVar
agario | agario | cmd wf | | [standard] standard | 44i 17o 21u | exit | | cloneHere
ark | ark | dl cmd | | [tty] tty, docker:games/srcds | 3i 1o 4u | 2 | | filesAsText
arma3 | arma3 | dl cmd | | [tty] tty, docker:games/srcds | 1i 4u | 2 | | filesAsText login
csgo | csgo | dl mkdir cmd | | [tty] tty, docker:games/srcds | 8i 3u | exit | | filesAsText
css | css | dl mkdir cmd | | [tty] tty, docker:games/srcds | 5i 2u | exit | | doubleBlank filesAsText
dontstarvetogether | dontstarvetogether | dl mkdir cmd wf*3 | | [] standard | 5s 2i 1b 2o | c_shutdown() | | rootDir script(sh)
eco | eco | dl cmd wf | | | 2i 3u | 9 | | bareGlob metadata
eco9 | srcds | dl mkdir cmd wf | | [tty] tty | 3s 3i 1b | 2 | | metadata
factorio | factorio | cmd | | [tty] tty | 1i 3u | /quit | | names(server-settings)
feedthebeast | minecraft-java | dl cmd mv wf*2 | | [standard] standard, docker:openjdk:8-alpine | 1s 4i 1b 2u | stop | | filesAsText globMove namedByHost
genisyspro | pocketmine | dl cmd dl cmd mv wf | | [tty] tty | 1i 1u | stop | | filesAsText noSuffix
gmod | gmod | dl mkdir cmd | | [tty] tty, docker:games/srcds | 2i 2u | exit | | filesAsText
imposter | amoung-us | dl cmd*2 wf | | [] standard | 3s 2i | 1 | | mayFail
minecraft-bedrock | minecraft-bedrock | dl cmd wf | | [standard] standard | 7i 4b 7u | stop | | libraryPath names(server-name,allow-cheats) filesAsText mayFail
minecraft-bungeecord | minecraft-java | dl wf | | [standard] standard, docker:openjdk:8-alpine | 1s 2i 2u | end | | filesAsText
minecraft-fabric | minecraft-java | fabricdl cmd wf*2 mv mkdir*2 mv | | [] standard, docker:openjdk:16 | 5s 1i 1b | stop | | names(game-version)
minecraft-forge | minecraft-java | forgedl cmd wf*2 mv | | [standard] standard, docker:openjdk:8-alpine | 1s 2i 1b 3u | stop | | globMove
minecraft-magma | minecraft-java | dl mv wf*2 | | [] standard | 4s 2i 1b | stop | | globMove
minecraft-mohist | minecraft-java | dl mv wf*2 | | [] standard | 5s 2i 1b | stop | | names(mc-version,mohist-version) globMove
minecraft-nukkit | minecraft-bedrock | dl wf mv wf | | [standard] standard, docker:openjdk:8-alpine | 1s 2i 2u | stop | | filesAsText globMove
minecraft-paper | minecraft-java | dl mv wf*2 | | [standard] standard, docker:openjdk:16 | 1s 2i 1b 4u | stop | | filesAsText globMove
minecraft-purpur | minecraft-java | dl mv wf*2 | | [standard] standard, docker:openjdk:8-alpine | 1s 2i 1b 3u | stop | | filesAsText globMove namedByHost
minecraft-spigot | minecraft-java | dl cmd wf*2 mv | | [standard] standard, docker:openjdk:8-alpine | 1s 2i 1b 3u | stop | | filesAsText globMove
minecraft-sponge | minecraft-java | spongeforgedl mv mkdir mv cmd wf*2 mv | | [standard] standard, docker:openjdk:8-alpine | 1s 2i 1b 4u | stop | | globMove noMatch
minecraft-vanilla | minecraft-java | mojangdl wf*2 | | [standard] standard, docker:openjdk:16 | 1s 2i 1b 3u | stop | |
minecraft-velocity | minecraft-java | dl mv wf | | [standard] standard | 4s 2i | shutdown | | globMove
minecraft-waterfall | minecraft-java | dl mv wf | | [standard] standard, docker:openjdk:8-alpine | 1s 2i 3u | end | | filesAsText globMove namedByHost
pocketmine | minecraft-bedrock | dl cmd wf | | [tty] tty | 1i 1u | stop | | filesAsText
rust | srcds | dl mkdir cmd | cmd | [tty] tty, docker:games/srcds | 4i 9u | 2 | | quotes rootDir libraryPath filesAsText
sa-mp | SA-MP | dl cmd wf | | [] tty | 18s 1i | 2 | |
srcds | srcds | dl mkdir cmd | | [tty] tty, docker:games/srcds | 2i 3u | exit | | filesAsText appVariable
starbound | starbound | dl mkdir*2 cmd wf*2 | | [tty] tty, docker:games/srcds | 2i 2u | 2 | | filesAsText account
teamspeak3 | voice | dl cmd | | [tty] tty | 2i 1o 4u | 2 | | filesAsText
terraria | terraria | dl cmd | | [tty] tty, docker:games/generic | 1i 1u | 2 | | rootDir filesAsText noSuffix
tf2 | srcds | dl mkdir cmd | | [tty] tty, docker:games/srcds | 1i 2u | exit | | rootDir filesAsText
theforest | theforest_win | dl mkdir cmd | | [standard] standard | 5i 2o 5u | exit | | rootDir filesAsText
unturned | steamcmd | cmd dl cmd*2 wf | | [tty] tty | 5s 2i 3o | shutdown | | slash
valheim | valheim | dl mkdir cmd | | [tty] tty | 3s 1i | 2 | | shellVar shellSigns
zandronum | doom | dl cmd wf*3 | | [standard] standard, docker:games/generic | 1o 1u | Quit | | bareGlob undefined(players)
zomboid | zomboid | dl cmd wf*2 | | [tty] tty, docker:games/srcds | 1s 1i 1b | quit | | script(bash)
`
