import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Starts OpenTTD without a screen as the player Steve, who joins a server. It makes a map first, which is small. */
export function startOpenTtdPlayer(dir: string, port: number): ChildProcess {
  mkdirSync(dir, { recursive: true })
  const named = '[network]\nclient_name = Steve\n'
  writeFileSync(join(dir, 'openttd.cfg'), `${named}[game_creation]\nmap_x = 6\nmap_y = 6\n`)
  writeFileSync(join(dir, 'private.cfg'), named)
  const quiet = ['-v', 'null:ticks=100000000', '-s', 'null', '-m', 'null', '-x', '-c', 'openttd.cfg']
  const player = spawn('/usr/games/openttd', [...quiet, '-n', `127.0.0.1:${port}`], {
    cwd: dir,
    env: { HOME: dir },
    stdio: 'ignore',
  })
  onTestFinished(() => void player.kill('SIGKILL'))
  return player
}
