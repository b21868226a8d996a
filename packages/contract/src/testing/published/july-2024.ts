/** Shapes of the definitions published in July 2024, one a line; `sketch.ts` reads them. */
export const july2024 = `
7days2die-docker | srcds | cmd | | [docker] docker:steamcmd/steamcmd | | 2 | amd64 | shellVar
7days2die | srcds | steam(294420) cmd | | [tty] tty | | 2 | linux amd64 | shellVar
ark-docker | srcds | cmd | | only docker:steamcmd/steamcmd | 1s 3i 3o 3u | 2 | amd64 | noValue(battleye)
ark | srcds | steam(376030) cmd | | only tty | 1s 3i 3o 3u | 2 | linux amd64 | noValue(battleye)
arma3-docker | srcds | cmd | | only docker:steamcmd/steamcmd | 1i 3u | 2 | amd64 |
arma3 | srcds | steam(233780) cmd | | only tty | 1i 3u | 2 | linux amd64 | account
csgo-docker | srcds | cmd | | only docker:steamcmd/steamcmd:ubuntu-20 | 8i 3u | exit | amd64 |
csgo | srcds | steam(740) | | only tty | 8i 3u | exit | linux amd64 |
css-docker | srcds | cmd | | only docker:steamcmd/steamcmd | 5i 2u | exit | amd64 | doubleBlank
css | srcds | steam(232330) | | only tty | 5i 2u | exit | linux amd64 | doubleBlank
cstrike | goldsrc | steam(90) | | [tty] tty | 2s 5i | exit | linux amd64 |
discord-jda-docker | discord | | | only docker:openjdk | 1s | 2 | |
discord-jda | discord | | | only standard | 1s | 2 | bin:java |
discord-js-docker | discord | cmd | | only docker:node | 1s | 2 | | names(bot-js-file)
discord-js | discord | cmd | | only standard | 1s | 2 | bin:node+npm | names(bot-js-file)
discord-py-docker | discord | cmd | | only docker:python | 2s | 2 | | names(bot-py-file,req-txt-file)
discord-py | discord | cmd | | [standard] standard, docker:python | 2s | 2 | bin:python3 | names(bot-py-file,req-txt-file)
dontstarvetogether-docker | srcds | cmd mkdir*2 wf*3 cmd | | only docker:steamcmd/steamcmd | 5s 2i 1b 2o | c_shutdown() | amd64 |
dontstarvetogether | srcds | steam(343050) mkdir*2 wf*3 cmd | | only standard | 5s 2i 1b 2o | c_shutdown() | linux amd64 | rootDir
eco | eco | dl cmd wf | | only standard | 2i 3u | 9 | linux amd64 bin:unzip+mono | bareGlob
eco9-docker | srcds | cmd wf | | only docker:steamcmd/steamcmd | 3s 3i 1b | 2 | amd64 |
eco9 | srcds | steam(739590) wf cmd | | only tty | 3s 3i 1b | 2 | linux amd64 |
factorio | factorio | cmd | | only tty | 1i 1o 3u | /quit | linux amd64 bin:curl+tar+xz | names(server-settings) mayFail
fivem | gta | dl cmd wf*2 cmd | | only standard | 4s 2i | 6 | linux amd64 bin:bash+git+wget | address(artifact) clone
gmod-docker | srcds | cmd | | only docker:steamcmd/steamcmd | 2i 4u | exit | amd64 |
gmod | srcds | steam(4020) cmd | | only tty | 2i 4u | exit | linux amd64 |
mindustry | mindustry | java dl | | [standard] standard | 3s 3i | exit | | commas
minecraft-autoplug-docker | minecraft-java | dl wf*2 | | only docker:eclipse-temurin:21 | 2i 1b 2u | stop | | filesAsText blobPage
minecraft-autoplug | minecraft-java | java dl wf*2 | | only standard | 2s 3i 1b | stop | | blobPage
minecraft-bedrock | minecraft-bedrock | dl cmd wf | | only standard | 7i 4b 7u | stop | linux amd64 bin:unzip | libraryPath names(server-name,allow-cheats) filesAsText mayFail
minecraft-bungeecord-docker | minecraft-java | dl wf | | only docker:eclipse-temurin:21 | 2i 2u | end | | filesAsText
minecraft-bungeecord | minecraft-java | java dl wf | | only standard | 3i 2u | end | | filesAsText
minecraft-fabric-docker | minecraft-java | fabricdl cmd wf*2 mv mkdir*2 mv | | only docker:eclipse-temurin:21 | 4s 1i 1b | stop | | names(game-version)
minecraft-fabric | minecraft-java | java fabricdl cmd wf*2 mv mkdir*2 mv | | only standard | 4s 2i 1b | stop | | names(game-version)
minecraft-forge-docker | minecraft-java | forgedl cmd wf*2 | | only docker:eclipse-temurin:21 | 2i 1b 3u | stop | |
minecraft-forge | minecraft-java | java forgedl cmd wf*2 | | only standard | 2i 1b 4u | stop | |
minecraft-forge-legacy-docker | minecraft-java | forgedl cmd wf*2 mv | | only docker:eclipse-temurin:8 | 2i 1b 1o 3u | stop | | names(mc-version) globMove glued
minecraft-forge-legacy | minecraft-java | java forgedl cmd wf*2 mv | | only standard | 2i 1b 1o 4u | stop | | names(mc-version) globMove glued
minecraft-ftb-docker | minecraft-java | dl cmd wf*2 | | only docker:eclipse-temurin:21 | 4s 4i 1b | stop | linux amd64 |
minecraft-ftb | minecraft-java | java dl cmd wf*2 | | only standard | 4s 4i 1b 1u | stop | linux amd64 |
minecraft-ftb-fabric | minecraft-java | java dl cmd mv wf*2 | | [standard] standard | 2s 5i 1b | stop | linux amd64 | globMove
minecraft-ftb-legacy-docker | minecraft-java | dl cmd mv wf*2 | | only docker:eclipse-temurin:8 | 4i 1b 2u | stop | linux amd64 | filesAsText globMove
minecraft-ftb-legacy | minecraft-java | java dl cmd mv wf*2 | | only standard | 5i 1b 2u | stop | linux amd64 | filesAsText globMove
minecraft-magma-docker | minecraft-java | dl mv wf*2 | | only docker:eclipse-temurin:21 | 4s 2i 1b | stop | | globMove namedByHost
minecraft-magma | minecraft-java | java dl mv wf*2 | | only standard | 4s 3i 1b | stop | | globMove namedByHost
minecraft-modpack-gtnh-docker | minecraft-java | dl cmd*2 wf*2 cmd | | [docker] docker:eclipse-temurin:21 | 3s 2i 1b | stop | linux amd64 bin:unzip | bareGlob names(gtnh-ver)
minecraft-modpack-gtnh | minecraft-java | dl cmd*2 wf*2 cmd java | | [standard] standard | 3s 2i 1b | stop | linux amd64 bin:unzip | bareGlob names(gtnh-ver)
minecraft-mohist-docker | minecraft-java | dl mv wf*2 | | only docker:eclipse-temurin:21 | 4s 2i 1b | stop | | names(mc-version,mohist-version) globMove endsInSlash
minecraft-mohist | minecraft-java | java dl mv wf*2 | | only standard | 4s 3i 1b | stop | | names(mc-version,mohist-version) globMove endsInSlash
minecraft-paper-docker | minecraft-java | dl mv wf*2 | | only docker:eclipse-temurin:21 | 2i 1b 4u | stop | | filesAsText globMove
minecraft-paper | minecraft-java | java dl mv wf*2 | | only standard | 3i 1b 4u | stop | | filesAsText globMove
minecraft-purpur-docker | minecraft-java | dl mv wf*2 | | only docker:eclipse-temurin:21 | 2i 1b 4u | stop | | filesAsText globMove namedByHost
minecraft-purpur | minecraft-java | java dl mv wf*2 | | only standard | 3i 1b 4u | stop | | filesAsText globMove namedByHost
minecraft-quilt | minecraft-java | java dl mv cmd wf*2 mv mkdir*2 cmd | | [standard] standard | 4s 2i 1b | stop | | names(game-version) globMove namedByHost
minecraft-spigot-docker | minecraft-java | dl cmd wf*2 mv | | only docker:eclipse-temurin:21 | 2i 1b 3u | stop | | filesAsText globMove
minecraft-spigot | minecraft-java | java dl cmd wf*2 mv | | only standard | 3i 1b 3u | stop | | filesAsText globMove
minecraft-vanilla-docker | minecraft-java | mojangdl wf*2 | | only docker:eclipse-temurin:21 | 2i 1b 3u | stop | |
minecraft-vanilla | minecraft-java | java mojangdl wf*2 | | only standard | 3i 1b 3u | stop | |
minecraft-velocity-docker | minecraft-java | dl mv | | only docker:eclipse-temurin:21 | 3s 3i | shutdown | | globMove
minecraft-velocity | minecraft-java | java dl mv | | only standard | 3s 4i | shutdown | | globMove
minecraft-waterfall-docker | minecraft-java | dl mv wf | | only docker:eclipse-temurin:21 | 4s 2i | end | | globMove
minecraft-waterfall | minecraft-java | java dl mv wf | | only standard | 4s 3i | end | | globMove
mta-sa | mta | wf cmd | | [standard] standard | 1s 2i 2o | shutdown | linux bin:bash+unzip+tar+gzip+wget | wget names(arch)
openttd | other | mkdir*2 dl mv*2 cmd*2 | | [tty] tty | 2s | exit | | cwd(./openttd) home
palworld | srcds | steam(1007) steam(2394010) cmd mkdir wf | steam(1007) steam(2394010) wf cmd | [tty] tty, standard | 8s 36i 17b 1o | 15 | linux amd64 | noValue(Region)
pocketmine | minecraft-bedrock | dl cmd wf | | only standard | 1i 1u | stop | linux amd64 | filesAsText bareHost
reposilite | other | java dl | | [standard] standard | 3s 3i | stop | | tokenPair
rust-docker | srcds | cmd | cmd | only docker:steamcmd/steamcmd | 4i 9u | 2 | amd64 | quotes rootDir libraryPath mayFail
rust | srcds | steam(258550) | steam(258550) cmd | only tty | 4i 9u | 2 | linux amd64 | quotes libraryPath
sa-mp | sa-mp | dl cmd wf | | only tty | 18s 1i | 2 | linux amd64 |
satisfactory-docker | srcds | cmd | | only docker:steamcmd/steamcmd | 1s 1i | 2 | amd64 | shellVar
satisfactory | srcds | steam(1690800) cmd | | only tty | 1s 1i 1o | 2 | linux amd64 | shellVar noValue(game_type)
squad-docker | squad | cmd | cmd*2 | only docker:steamcmd/steamcmd | 3i 1o | exit | amd64 |
squad | squad | steam(403240) | steam(403240) cmd | only tty | 3i 1o | exit | linux amd64 |
starbound-docker | starbound | mkdir cmd wf*2 | | only docker:steamcmd/steamcmd | 2i 2u | 2 | amd64 |
starbound | starbound | mkdir steam(533830) wf*2 cmd | | only tty | 2i 2u | 2 | linux amd64 | account
stn-docker | stn | cmd mkdir wf*8 | | only docker:steamcmd/steamcmd | 4s 1i | 2 | |
stn | stn | steam(1502300) cmd mkdir wf*8 | | only tty | 4s 1i | 2 | |
teamspeak3 | voice | dl cmd | | only tty | 2i 1o 4u | 2 | linux amd64 bin:tar | filesAsText
terraria-tmodloader | terraria | dl cmd wf*2 cmd | wf | only tty | 22s | exit | linux amd64 bin:tar | mayFail
terraria-tshock | terraria | dl cmd | | only tty | 5s 1i 2o | exit | linux bin:unzip | rootDir dotnetRoot
terraria-vanilla | terraria | dl cmd wf | wf | only tty | 22s | exit | linux amd64 bin:unzip |
terraria-vanilla-arm64 | terraria-arm64 | dl cmd*2 wf | wf | only tty | 22s | exit | linux arm64 bin:unzip+mono | mono
tf2-docker | srcds | cmd | | only docker:steamcmd/steamcmd | 1i 2u | exit | amd64 |
tf2 | srcds | steam(232250) | | only tty | 1i 2u | exit | linux amd64 |
theforest | theforest_win | steam(556450) | | only standard | 5i 2o 5u | exit | windows amd64 |
unturned-docker | srcds | cmd mkdir wf | | only docker:steamcmd/steamcmd | 5s 2i 3o | shutdown | amd64 | slash
unturned | srcds | steam(1110390) mkdir cmd wf | | only tty | 5s 2i 3o | shutdown | linux amd64 | slash
valheim-docker | valheim | cmd | | only docker:steamcmd/steamcmd | 3s 1i | 2 | linux amd64 | shellVar shellSigns
valheim | valheim | steam(896660) cmd | | only tty | 3s 1i | 2 | linux amd64 | shellVar shellSigns
valheim-modded-docker | valheim | mkdir dl cmd | | only docker:steamcmd/steamcmd | 4s 1i | 2 | amd64 | bareGlob shellVar
valheim-modded | valheim | mkdir dl steam(896660) cmd | | only tty | 4s 1i | 2 | linux amd64 | bareGlob shellVar shellSigns preload
zomboid-docker | zomboid | cmd wf | | only docker:steamcmd/steamcmd | 2s 2i 1b | quit | linux amd64 |
zomboid | zomboid | steam(380870) wf cmd | | only tty | 2s 2i 1b | quit | linux amd64 |
`
