/** Shapes of the definitions published in October 2024, one a line; `sketch.ts` reads them. */
export const october2024 = `
7days2die | srcds | steam(294420)? cmd?*2 | | [host] host, docker:steamcmd/steamcmd+ports | | shutdown | amd64 | commands(2) shellVar stdin(telnet)
ark | srcds | steam(376030)? cmd? cmd | | [host] host, docker:steamcmd/steamcmd+ports | 4s 3i 1o | 2 | linux amd64 |
arma3 | srcds | steam(233780)? cmd? cmd | | [host] host, docker:steamcmd/steamcmd+ports | 3s 1i | 2 | linux amd64 |
csgo | srcds | steam(740)? cmd? | | [host] host, docker:steamcmd/steamcmd:ubuntu-20+ports | 4s 7i | exit | linux amd64 |
css | srcds | steam(232330)? cmd? | | [host] host, docker:steamcmd/steamcmd+ports | 2s 5i | exit | linux amd64 |
discord-jda | discord | | | [host] host, docker:eclipse-temurin | 1s | 9 | bin:java | stats(jcmd)
discord-js | discord | cmd | | [host] host, docker:node | 1s | 9 | bin:node+npm | names(bot-js-file)
discord-py | discord | cmd | | [host] host, docker:python | 1s | 9 | bin:python3 | names(bot-py-file)
dontstarvetogether | srcds | steam(343050)? cmd? mkdir wf*2 | | only host | 5s 2i 1b 2o | c_shutdown() | linux amd64 | quotes
eco | eco | dl cmd wf | | only host | 3s 2i | 9 | linux amd64 bin:unzip+mono | bareGlob
eco9 | srcds | steam(739590)? cmd? wf cmd | | [host] host, docker:steamcmd/steamcmd+ports | 3s 3i 1b | 2 | linux amd64 | portNoHost
factorio | factorio | cmd | | [host] host, docker:games/ubuntu+ports | 3s 1i | /quit | linux amd64 bin:curl+tar+xz | names(server-settings)
fivem | gta | dl cmd wf*2 cmd | | [host] host, docker:games/ubuntu+ports | 4s 2i | 6 | linux amd64 bin:bash+git+wget |
gmod | srcds | steam(4020)? cmd? cmd | | [host] host, docker:steamcmd/steamcmd+ports | 4s 2i | exit | linux amd64 |
minecraft | minecraft-java | java? mojangdl? fabricdl? cmd?*2 forgedl? cmd?*2 mv?*2 dl? mv? dl? cmd?*2 mv? wf? wf | resolveforgeversion? | [host] host, docker:eclipse-temurin:{javaversion}+ports | 9s 2i 1b | stop | | commands(8) globMove stats(jcmd) query(minecraft) groups
minecraft-bedrock | minecraft-bedrock | dl cmd wf | | [host] host, docker:games/ubuntu+ports | 7s 7i 4b | stop | linux amd64 bin:unzip | libraryPath names(allow-cheats,default-player-permission-level)
minecraft-bungeecord | minecraft-java | java? dl wf | | [host] host, docker:eclipse-temurin:17+ports | 2s 2i | end | | commands(2)
minecraft-curseforge | minecraft-java | java? curseforge?*2 wf? wf | resolveforgeversion? | [host] host, docker:eclipse-temurin:{javaversion}+ports | 3s 4i 1b | stop | | commands(6) undefined(resolvedForgeVersion) stats(jcmd) query(minecraft)
minecraft-ftb | minecraft-java | java? dl?*3 cmd?*2 mv? wf*2 | | [host] host, docker:eclipse-temurin:{javaversion}+ports | 3s 5i 1b | stop | linux amd64 | commands(6) globMove stats(jcmd) query(minecraft) perSystem
minecraft-velocity | minecraft-java | java? dl mv | | [host] host, docker:eclipse-temurin:17+ports | 3s 3i | shutdown | | commands(2) globMove stats(jcmd)
minecraft-waterfall | minecraft-java | java? dl mv wf | | [host] host, docker:eclipse-temurin:17+ports | 4s 2i | end | | commands(2) globMove stats(jcmd)
pocketmine | minecraft-bedrock | dl cmd wf | | [host] host, docker:games/ubuntu+ports | 1s 1i | stop | linux amd64 bin:curl |
rust | srcds | steam(258550)? cmd? | | [host] host, docker:steamcmd/steamcmd+ports | 9s 4i | quit | linux amd64 | quotes libraryPath stdin(rconws)
sa-mp | sa-mp | dl cmd wf | | only host | 18s 1i | 2 | linux amd64 |
satisfactory | srcds | steam(1690800)? cmd? cmd | | [host] host, docker:steamcmd/steamcmd+ports | 1s 1i | 15 | linux amd64 | libraryPath
squad | squad | steam(403240)? cmd? cmd | steam(403240)? cmd? cmd | [host] host, docker:steamcmd/steamcmd+ports | 3i 1o | 15 | linux amd64 | exit(143)
starbound | starbound | mkdir steam(533830)? cmd? wf*2 cmd | | [host] host, docker:steamcmd/steamcmd+ports | 2s 2i | 2 | linux amd64 |
stn | stn | steam(1502300)? cmd? mkdir wf*8 | | [host] host, docker:steamcmd/steamcmd+ports | 4s 1i | 2 | |
teamspeak3 | voice | dl cmd | | [host] host, docker:ubuntu+ports | 4s 2i 1o | 2 | linux amd64 bin:tar |
terraria-tmodloader | terraria | dl? cmd? extract? cmd? dl extract cmd | wf | [host] host, docker:registry.example.org/dotnet/runtime:{dotnetversion}+ports | 20s 2o | exit | linux amd64 bin:tar | commands(2) extractHere names(arch,dotnetversion)
terraria-tshock | terraria | dl? cmd? extract? cmd? dl extract*2 cmd | | [host] host, docker:registry.example.org/dotnet/runtime:{dotnetversion}+ports | 4s 1i 3o | exit | linux bin:unzip | rootDir dotnetRoot extractChain names(dotnetversion)
terraria-vanilla | terraria | dl extract cmd | wf | [host] host, docker:games/ubuntu+ports | 20s | exit | linux amd64 bin:unzip |
tf2 | srcds | steam(232250)? cmd? cmd | | [host] host, docker:games/steamcmd+ports | 2s 1i | exit | linux amd64 |
unturned | srcds | steam(1110390)? cmd? cmd mkdir wf | | [host] host, docker:steamcmd/steamcmd+ports | 5s 2i 3o | shutdown | linux amd64 | slash
valheim | valheim | steam(896660)? cmd? dl? cmd? cmd | | [host] host, docker:steamcmd/steamcmd+ports | 4s 1i | 2 | linux amd64 bin:unzip | bareGlob shellVar shellSigns
zomboid | zomboid | steam(380870)? cmd? wf cmd | | [host] host, docker:steamcmd/steamcmd+ports | 2s 2i 1b | quit | linux amd64 |
`
